import type {
  LanguageModelV3,
  LanguageModelV3Content,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'

/** Who hears of what a model says while it says it. */
export interface ModelListener {
  /** A model call begins. */
  onCall(): void
  onText(text: string): void
  onReasoning(text: string): void
  onToolCall(call: { id: string; name: string; input: string }): void
  /** The model call is over. */
  onUsage(usage: LanguageModelV3Usage): void
}

/**
 * A model for `generateText` that streams underneath: it passes on every delta as it comes and gives back the
 * assembled content. Cheaper than the library's own streaming, and the loop over steps and tools stays the library's.
 */
export function relayModel(model: LanguageModelV3, listener: ModelListener): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doStream: (options) => model.doStream(options),
    async doGenerate(options) {
      listener.onCall()
      const { stream, request, response } = await model.doStream(options)
      const assembled = createAssembly(listener)
      const reader = stream.getReader()
      try {
        for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
          assembled.add(value as LanguageModelV3StreamPart)
      } finally {
        reader.releaseLock()
      }
      options.abortSignal?.throwIfAborted()
      const result = assembled.result()
      listener.onUsage(result.usage)
      return { ...result, request, response: { headers: response?.headers } }
    },
  }
}

type Finish = Extract<LanguageModelV3StreamPart, { type: 'finish' }>

function createAssembly({ onText, onReasoning, onToolCall }: ModelListener) {
  const content: LanguageModelV3Content[] = []
  const open = new Map<string, Extract<LanguageModelV3Content, { type: 'text' | 'reasoning' }>>()
  let finish: Finish | undefined

  const begin = (type: 'text' | 'reasoning', id: string, providerMetadata: Finish['providerMetadata']) => {
    const part = { type, text: '', providerMetadata }
    open.set(`${type} ${id}`, part)
    content.push(part)
  }
  const grow = (type: 'text' | 'reasoning', id: string, delta: string) => {
    const part = open.get(`${type} ${id}`)
    if (part) part.text += delta
    ;(type === 'text' ? onText : onReasoning)(delta)
  }

  return {
    add(part: LanguageModelV3StreamPart) {
      switch (part.type) {
        case 'text-start':
          return begin('text', part.id, part.providerMetadata)
        case 'text-delta':
          return grow('text', part.id, part.delta)
        case 'reasoning-start':
          return begin('reasoning', part.id, part.providerMetadata)
        case 'reasoning-delta':
          return grow('reasoning', part.id, part.delta)
        case 'reasoning-end': {
          // Some upstreams sign their reasoning at its end and want the signature back.
          const ended = open.get(`reasoning ${part.id}`)
          if (ended && part.providerMetadata) ended.providerMetadata = part.providerMetadata
          return
        }
        case 'tool-call':
          content.push(part)
          return onToolCall({ id: part.toolCallId, name: part.toolName, input: part.input })
        case 'tool-result':
        case 'file':
        case 'source':
          content.push(part)
          return
        case 'finish':
          finish = part
          return
        case 'error':
          throw part.error
      }
    },
    result() {
      if (!finish) throw new Error('the model ended its answer without finishing it')
      const { finishReason, usage, providerMetadata } = finish
      return { content, finishReason, usage, providerMetadata, warnings: [] }
    },
  }
}
