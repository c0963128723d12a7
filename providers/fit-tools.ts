import { createHash } from 'node:crypto'
import type {
  JSONSchema7,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import type { StreamingModel } from '#plugin-api'
import { type PlainSchema, toPlainSchema } from './plain-schema.ts'
import { type RenamedSchema, renameProperties } from './property-names.ts'
import { createNames, type Names } from './tool-names.ts'
import { shortenTools, type ToolRules } from './tool-rules.ts'

/** The most characters of a schema in the description of its tool. */
const MAX_DESCRIBED_CHARS = 4000
const MAX_DESCRIBED_PARTS = 1000

type Tool = NonNullable<LanguageModelV3CallOptions['tools']>[number]
type Renaming = RenamedSchema['rename']

/** A schema as a vendor accepts it, or a note for the description of the tool whose schema cannot be made so. */
interface FitSchema extends RenamedSchema {
  note?: string
}

/** The schemas by the rules that they were made for. */
const fitSchemas = new WeakMap<ToolRules, WeakMap<object, FitSchema>>()

/**
 * Wraps a model so that it receives all tools, and the calls of earlier answers, in the form that its vendor accepts.
 * The calls of an answer get their own names and arguments back. A schema is converted once.
 */
export function withFitTools(model: StreamingModel, rules: ToolRules): StreamingModel {
  return {
    async doStream({ tools, prompt, toolChoice, ...call }) {
      const fitted = new Map<string, FitSchema>()
      for (const tool of tools ?? [])
        if (tool.type === 'function') fitted.set(tool.name, fitSchema(tool.inputSchema, rules))
      const names = createNames(listNames(tools ?? [], prompt), rules.name)
      const getRenaming = (name: string) => fitted.get(name)?.rename
      const isChanged = names.changed.size > 0 || [...fitted.values()].some(({ rename }) => rename)
      const idPattern = hasOddIds(prompt, rules) ? rules.call_id : undefined
      const options = {
        ...call,
        tools:
          tools &&
          shortenTools(
            tools.map((tool) => (tool.type === 'function' ? fitTool(tool, names, fitted) : tool)),
            call.adaptations,
          ),
        toolChoice:
          toolChoice?.type === 'tool'
            ? { ...toolChoice, toolName: names.toSent(toolChoice.toolName) }
            : toolChoice,
        prompt:
          isChanged || idPattern
            ? prompt.map((message) => fitMessage(message, { names, getRenaming, idPattern }))
            : prompt,
      }
      const answer = await model.doStream(options)
      return isChanged
        ? { ...answer, stream: answer.stream.pipeThrough(createRestoring(names, getRenaming)) }
        : answer
    },
  }
}

/** Converts a schema by the rules of a vendor. One that cannot be converted becomes an open object. */
function fitSchema(original: JSONSchema7, rules: ToolRules): FitSchema {
  const schemas = fitSchemas.get(rules) ?? new WeakMap<object, FitSchema>()
  const fit = schemas.get(original) ?? convertSchema(original, rules)
  fitSchemas.set(rules, schemas.set(original, fit))
  return fit
}

function convertSchema(original: JSONSchema7, { property, convert }: ToolRules): FitSchema {
  const plain = toPlainSchema(original)
  const schema: PlainSchema = plain ?? { type: 'object', properties: {}, additionalProperties: true }
  const converted = convert ? convert(schema) : schema
  const note = plain ? undefined : `\n\nIts arguments, as JSON Schema: ${toText(original)}`
  return { ...(property ? renameProperties(converted, property) : { schema: converted }), note }
}

/** Returns the beginning of a schema as JSON. */
function toText(schema: JSONSchema7): string {
  const visited = new WeakSet<object>()
  let parts = MAX_DESCRIBED_PARTS
  const text = JSON.stringify(schema, (_key, value) => {
    parts -= 1
    if (parts < 0 || visited.has(value)) return undefined
    if (typeof value === 'object' && value !== null) visited.add(value)
    return value
  })
  return text.slice(0, MAX_DESCRIBED_CHARS).toWellFormed()
}

function fitTool(
  tool: LanguageModelV3FunctionTool,
  names: Names,
  fitted: ReadonlyMap<string, FitSchema>,
): LanguageModelV3FunctionTool {
  const { schema, note = '' } = fitted.get(tool.name)!
  // An empty description is refused by some vendors.
  const description = `${tool.description ?? ''}${note}`.trim() || undefined
  return { ...tool, name: names.toSent(tool.name), description, inputSchema: schema as JSONSchema7 }
}

/** Lists the names of tools, and of the calls in a prompt: models call tools that do not exist, by any name. */
function* listNames(tools: readonly Tool[], prompt: readonly LanguageModelV3Message[]): Generator<string> {
  for (const { name } of tools) yield name
  for (const { role, content } of prompt)
    if (role === 'assistant' || role === 'tool')
      for (const part of content) if ('toolName' in part) yield part.toolName
}

function fitMessage(
  message: LanguageModelV3Message,
  {
    names,
    getRenaming,
    idPattern,
  }: { names: Names; getRenaming: (name: string) => Renaming; idPattern: RegExp | undefined },
): LanguageModelV3Message {
  const fit = <Part extends { toolCallId: string; toolName: string }>(part: Part): Part => ({
    ...part,
    toolCallId: fitId(part.toolCallId, idPattern),
    toolName: names.toSent(part.toolName),
  })
  if (message.role === 'tool') {
    const content = message.content.map((part) => (part.type === 'tool-result' ? fit(part) : part))
    return { ...message, content }
  }
  if (message.role !== 'assistant') return message
  const content = message.content.map((part) => {
    if (part.type === 'tool-result') return fit(part)
    if (part.type !== 'tool-call') return part
    const rename = getRenaming(part.toolName)
    return { ...fit(part), input: rename ? rename(part.input, 'toSent') : part.input }
  })
  return { ...message, content }
}

/** True if a call has an id that the vendor does not accept: gateways answer with ids that they then refuse. */
const hasOddIds = (prompt: readonly LanguageModelV3Message[], { call_id }: ToolRules) =>
  call_id !== undefined &&
  prompt.some(
    ({ role, content }) =>
      role === 'assistant' &&
      content.some((part) => part.type === 'tool-call' && !call_id.test(part.toolCallId)),
  )

/** Replaces an id that a vendor does not accept, in a call and in its result alike. */
const fitId = (id: string, pattern: RegExp | undefined) =>
  !pattern || pattern.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`

/** Creates the filter that restores the names and arguments of calls. */
function createRestoring(names: Names, getRenaming: (name: string) => Renaming) {
  return new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
    transform(part, controller) {
      if (part.type === 'tool-input-start' || part.type === 'tool-call' || part.type === 'tool-result') {
        const toolName = names.toOriginal(part.toolName)
        const rename = part.type === 'tool-call' ? getRenaming(toolName) : undefined
        controller.enqueue(
          part.type === 'tool-call' && rename
            ? { ...part, toolName, input: renameArguments(part.input, rename) }
            : { ...part, toolName },
        )
      } else controller.enqueue(part)
    },
  })
}

/** Renames arguments; what is not JSON is left as it is, for the report to the model. */
function renameArguments(input: string, rename: NonNullable<Renaming>): string {
  let value: unknown
  try {
    value = JSON.parse(input)
  } catch {
    return input
  }
  return JSON.stringify(rename(value, 'toOriginal'))
}
