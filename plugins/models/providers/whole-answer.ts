import { createDeadline, untilAborted } from '#plugin-api'
import type { ModelCall, Models, OpenedModel, WholeAnswer } from './types.ts'

/** Calls a model, and waits for its answer until it is whole, the signal is aborted, or its time is over. */
export const readWholeAnswer: Models['readWhole'] = async (
  model,
  { options, ...call },
  { signal, ...time },
) => {
  const until = createDeadline([signal], time)
  try {
    return await untilAborted(
      until.signal,
      read(model, { ...call, options: { ...options, abortSignal: until.signal } }),
    )
  } finally {
    until.release()
  }
}

async function read(model: Pick<OpenedModel, 'stream'>, call: ModelCall): Promise<WholeAnswer> {
  let text = ''
  let finish_reason: WholeAnswer['finish_reason'] | undefined
  for await (const part of model.stream(call)) {
    if (part.type === 'text-delta') text += part.delta
    if (part.type === 'restarted') text = ''
    if (part.type === 'finish') finish_reason = part.finishReason.unified
  }
  if (!finish_reason) throw new Error('the model ended its answer without finishing it')
  return { text, finish_reason }
}
