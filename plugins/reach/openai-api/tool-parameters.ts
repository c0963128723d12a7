import { AppError } from '#plugin-api'
import type { TurnSettings } from '../../conversations/chat/documents.ts'
import type { ClientTool, ClientTools } from '../../conversations/chat/loop/client-tools.ts'
import { assertSchema } from './answer-format.ts'

/** The most tools of a request, as in OpenAI's API. */
const MAX_TOOLS = 128
/** The most characters of all tools of a request. */
const MAX_TOOLS_CHARS = 1_048_576
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const NO_ARGUMENTS = { type: 'object', properties: {} }

type Fields = Readonly<Record<string, unknown>>

const invalid = (parameter: string, reason: string) =>
  new AppError('PARAMETER_INVALID', { parameter, reason })
const unsupported = (parameter: string) => new AppError('PARAMETER_UNSUPPORTED', { parameter })

/**
 * Reads the tools of a request in the form of chat completions or of responses, whose functions are not nested. Throws
 * PARAMETER_INVALID, PARAMETER_UNSUPPORTED.
 */
export function readTools({
  tools,
  tool_choice,
  parallel_tool_calls,
}: Fields): Pick<TurnSettings, 'client_tools'> {
  const offered = listTools(tools)
  const { names, must_call } = readChoice(tool_choice ?? 'auto')
  const chosenNames = typeof must_call === 'object' ? [must_call.name] : names
  const missing = chosenNames?.find((name) => !offered.some((tool) => tool.name === name))
  if (missing !== undefined) throw invalid('tool_choice', `“tools” has no function “${missing}”`)
  if (must_call && offered.length === 0) throw invalid('tool_choice', 'there are no “tools”')
  const chosen = names ? offered.filter(({ name }) => names.includes(name)) : offered
  if (chosen.length === 0) return {}
  const client_tools: ClientTools = {
    tools: chosen,
    ...(must_call && { must_call }),
    ...(parallel_tool_calls === false && { is_sequential: true }),
  }
  return { client_tools }
}

function listTools(tools: unknown): ClientTool[] {
  if (tools == null) return []
  if (!Array.isArray(tools)) throw invalid('tools', 'it must be a list')
  if (tools.length > MAX_TOOLS) throw invalid('tools', `at most ${MAX_TOOLS} tools can be offered`)
  const listed = tools.map((tool, index) => toClientTool(Object(tool), `tools[${index}]`))
  const characters = listed.reduce(
    (sum, { description, input_schema }) => sum + description.length + input_schema.length,
    0,
  )
  if (characters > MAX_TOOLS_CHARS)
    throw invalid('tools', `all tools together can have at most ${MAX_TOOLS_CHARS} characters`)
  const repeated = listed.find(({ name }, index) => listed.findIndex((tool) => tool.name === name) < index)
  if (repeated) throw invalid('tools', `the name “${repeated.name}” is used twice`)
  return listed
}

function toClientTool(tool: Fields, path: string): ClientTool {
  if (tool.type !== 'function') throw unsupported(`${path}.type`)
  const isNested = typeof tool.function === 'object' && tool.function !== null
  const functionPath = isNested ? `${path}.function` : path
  const { name, description, parameters, strict } = (isNested ? tool.function : tool) as Fields
  if (typeof name !== 'string' || !NAME.test(name))
    throw invalid(`${functionPath}.name`, 'a name has 1 to 64 letters of English, digits, “_” and “-”')
  if (description != null && typeof description !== 'string')
    throw invalid(`${functionPath}.description`, 'it must be text')
  const schema = parameters ?? NO_ARGUMENTS
  assertSchema(schema, `${functionPath}.parameters`)
  return {
    name,
    description: description ?? '',
    // Vendors require the type, and callers leave it out for functions without arguments.
    input_schema: JSON.stringify('type' in schema ? schema : { ...schema, type: 'object' }),
    ...(typeof strict === 'boolean' && { strict }),
  }
}

/** Reads the choice of a tool: the only tools that may be called, if not all, and those that must be. */
function readChoice(choice: unknown): { names?: readonly string[]; must_call?: ClientTools['must_call'] } {
  if (choice === 'auto') return {}
  if (choice === 'none') return { names: [] }
  if (choice === 'required') return { must_call: 'any' }
  const { type, ...fields } = Object(choice) as Fields
  if (type === 'function') {
    const name = nameOf(fields)
    return { must_call: { name } }
  }
  if (type !== 'allowed_tools') throw unsupported('tool_choice')
  const { mode, tools } = Object(fields.allowed_tools ?? fields) as Fields
  if (!Array.isArray(tools)) throw invalid('tool_choice', 'it has no “tools”')
  const names = tools.map((tool) => nameOf(Object(tool)))
  return { names, ...(mode === 'required' && { must_call: 'any' }) }
}

function nameOf(choice: Fields): string {
  const { name } = Object(choice.function ?? choice) as Fields
  if (typeof name !== 'string') throw invalid('tool_choice', 'it does not name a function')
  return name
}
