import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'

type Part = LanguageModelV3StreamPart

/**
 * Creates the filter that ends the text of an answer before a stop sequence, for an API that knows none. The end of a
 * text that may begin a sequence is held back.
 */
export function createStopFilter(sequences: readonly string[]): TransformStream<Part, Part> {
  const longest = Math.max(0, ...sequences.map(({ length }) => length))
  let heldBack = ''
  let isStopped = false

  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'finish' && isStopped)
        controller.enqueue({ ...part, finishReason: { unified: 'stop', raw: 'stop' } })
      else if (part.type === 'tool-call' && isStopped) return
      else if (part.type === 'text-delta') {
        if (isStopped) return
        const text = heldBack + part.delta
        const starts = sequences.map((sequence) => text.indexOf(sequence)).filter((index) => index >= 0)
        isStopped = starts.length > 0
        const end = isStopped ? Math.min(...starts) : Math.max(0, text.length - longest + 1)
        heldBack = isStopped ? '' : text.slice(end)
        if (end > 0) controller.enqueue({ ...part, delta: text.slice(0, end) })
      } else {
        if (part.type === 'text-end' && heldBack !== '') {
          controller.enqueue({ type: 'text-delta', id: part.id, delta: heldBack })
          heldBack = ''
        }
        controller.enqueue(part)
      }
    },
  })
}
