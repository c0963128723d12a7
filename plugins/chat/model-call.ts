import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'

/** Who hears of what a model says while it says it. */
export interface ModelListener {
  onText(text: string): void
  onReasoning(text: string): void
  onToolCall(call: { id: string; name: string; input: string }): void
  onUsage(usage: LanguageModelV3Usage): void
}

/** What one call of a model came to. */
export interface ModelAnswer {
  content: LanguageModelV3Content[]
  finishReason: LanguageModelV3FinishReason
}

type Finish = Extract<LanguageModelV3StreamPart, { type: 'finish' }>
type Spoken = Extract<LanguageModelV3Content, { type: 'text' | 'reasoning' }>

/** Calls a model once, passes on every delta as it comes, and gives the assembled answer. */
export async function callModel(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  listener: ModelListener,
): Promise<ModelAnswer> {
  const { stream } = await model.doStream(options)
  const content: LanguageModelV3Content[] = []
  const spoken = new Map<string, Spoken>()
  let finish: Finish | undefined

  const begin = (type: Spoken['type'], id: string, providerMetadata: Spoken['providerMetadata']) => {
    const part: Spoken = { type, text: '', providerMetadata }
    spoken.set(`${type} ${id}`, part)
    content.push(part)
    return part
  }
  const add = (part: LanguageModelV3StreamPart): void => {
    switch (part.type) {
      case 'text-delta':
        ;(spoken.get(`text ${part.id}`) ?? begin('text', part.id, undefined)).text += part.delta
        listener.onText(part.delta)
        return
      case 'reasoning-delta':
        ;(spoken.get(`reasoning ${part.id}`) ?? begin('reasoning', part.id, undefined)).text += part.delta
        listener.onReasoning(part.delta)
        return
      case 'text-start':
        begin('text', part.id, part.providerMetadata)
        return
      case 'reasoning-start':
        begin('reasoning', part.id, part.providerMetadata)
        return
      case 'reasoning-end': {
        // Some upstreams sign their reasoning at its end and want the signature back.
        const ended = spoken.get(`reasoning ${part.id}`)
        if (ended && part.providerMetadata) ended.providerMetadata = part.providerMetadata
        return
      }
      case 'tool-call':
        content.push(part)
        listener.onToolCall({ id: part.toolCallId, name: part.toolName, input: part.input })
        return
      case 'finish':
        finish = part
        return
      case 'error':
        throw part.error
    }
  }

  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) add(next.value)
  } finally {
    reader.releaseLock()
  }
  options.abortSignal?.throwIfAborted()
  if (!finish) throw new Error('the model ended its answer without finishing it')
  listener.onUsage(finish.usage)
  return { content, finishReason: finish.finishReason }
}
