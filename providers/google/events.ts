import { type EventMender, type Json, toCount, toObject, toShare, toText } from '../event-filter.ts'

/** Creates the mender of an answer of Gemini: fields of a wrong type are converted, and those that nobody reads left out. */
export function createGoogleMender(): EventMender {
  let codes = 0
  let searches = 0

  const mendPart = (part: Json): Json[] => {
    if (typeof part !== 'object' || part === null) return []
    const signature = toText(part.thoughtSignature ?? part.thought_signature)
    const shared = {
      ...((part.thought === true || part.thought === 'true') && { thought: true as const }),
      ...(signature !== undefined && { thoughtSignature: signature }),
    }
    const call = part.functionCall ?? part.function_call
    const picture = part.inlineData ?? part.inline_data
    const { executableCode: code, codeExecutionResult: output, toolCall, toolResponse } = part
    if (call) return mendCall(call, shared)
    if (picture) {
      // A sketch among the thoughts is not the picture that was asked for.
      if (shared.thought) return []
      const mimeType = toText(picture.mimeType ?? picture.mime_type)
      const data = toText(picture.data)
      return mimeType && data ? [{ inlineData: { mimeType, data }, ...shared }] : []
    }
    if (code) {
      if (!toText(code.code)) return []
      codes += 1
      return [{ executableCode: { language: toText(code.language) ?? '', code: toText(code.code) ?? '' } }]
    }
    if (output) {
      // The library uses the id of the code before a result.
      if (codes === 0) return []
      const outcome = toText(output.outcome) ?? ''
      return [{ codeExecutionResult: { outcome, output: toText(output.output) } }]
    }
    if (toolCall) {
      searches += 1
      const { toolType, args, id } = toolCall
      return [
        {
          toolCall: { toolType: toText(toolType) ?? 'TOOL', args, id: toText(id) ?? `tool_${searches}` },
          ...shared,
        },
      ]
    }
    if (toolResponse) {
      const { toolType, response, id } = toolResponse
      return [
        {
          toolResponse: {
            toolType: toText(toolType) ?? 'TOOL',
            response,
            id: toText(id) ?? `tool_${searches}`,
          },
        },
      ]
    }
    const text = toText(part.text)
    return text === undefined && signature === undefined ? [] : [{ text: text ?? '', ...shared }]
  }

  return {
    mend(event) {
      if (event.error) return [{ error: toError(event.error) }]
      const list = [event.candidates ?? []].flat()
      const candidate = list.find((one: Json) => one?.index == null || one.index === 0)
      const parts = candidate?.content?.parts
      const blockReason = toText(event.promptFeedback?.blockReason)
      return [
        {
          ...(candidate && {
            candidates: [
              {
                content: { parts: [parts ?? []].flat().flatMap(mendPart) },
                finishReason: toText(candidate.finishReason)?.toUpperCase() || undefined,
                finishMessage: toText(candidate.finishMessage),
              },
            ],
          }),
          usageMetadata: mendUsage(toObject(event.usageMetadata)),
          ...(blockReason && { promptFeedback: { blockReason } }),
        },
      ]
    },
  }
}

function mendCall({ name, args, id }: Json, shared: object): Json[] {
  const toolName = toText(name)
  if (!toolName) return []
  const input = typeof args === 'string' && args.trim() === '' ? {} : args
  const callId = toText(id)
  return [
    {
      functionCall: { name: toolName, args: withoutPrototypes(input ?? {}), ...(callId && { id: callId }) },
      ...shared,
    },
  ]
}

/** Removes the arguments for which the client library refuses a whole event. */
function withoutPrototypes(input: Json): Json {
  const text = JSON.stringify(input)
  if (!/__proto__|prototype/.test(text)) return input
  return JSON.parse(text, (key, value) =>
    key === '__proto__' || (key === 'constructor' && Object.hasOwn(Object(value), 'prototype'))
      ? undefined
      : value,
  )
}

/** Returns the usage if it says what was read; numbers that are zero are not written, and the numbers of the answer follow. */
function mendUsage(usage: Json): Json {
  const input = toCount(usage.promptTokenCount)
  if (!input) return undefined
  const total = toCount(usage.totalTokenCount)
  const thoughts = toCount(usage.thoughtsTokenCount) ?? 0
  const others = input + thoughts + (toCount(usage.toolUsePromptTokenCount) ?? 0)
  const output =
    toCount(usage.candidatesTokenCount) ?? (total === undefined ? undefined : Math.max(0, total - others))
  if (output === undefined) return undefined
  return {
    promptTokenCount: input,
    candidatesTokenCount: output,
    cachedContentTokenCount: toShare(usage.cachedContentTokenCount, input),
    thoughtsTokenCount: thoughts,
  }
}

const toError = (error: Json): Json => (typeof error === 'object' ? error : { message: toText(error) })
