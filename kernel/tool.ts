import { compileFor, createFormCheck } from './form.ts'
import { type Locale, type LocalizedText, localizedText } from './locale.ts'
import { assertSchema, type JSONSchema } from './schema.ts'

/** Where besides the workspace a tool may write: below `root`, yet never below `except`; absolute paths. */
export interface WriteArea {
  root: string
  except: string
}

/** What a tool call may know and use. `workspace` is the agent's folder, an absolute path. */
export interface ToolContext {
  workspace: string
  write_area: WriteArea | null
  agent_id: string
  thread_id: string
  /** The account that the agent acts for. */
  user_id: string
  locale: Locale
  signal: AbortSignal
  /** Tells the reader of the turn about a file the tool made; the path is relative to the workspace. */
  attach(file: { path: string; media_type: string }): void
  /** Has the same model carry out an instruction in a conversation of its own, with tools; gives its last words. */
  delegate(instruction: string): Promise<string>
  /** Says something to the user in the agent's name and ends the turn with it: what they say next is the answer. */
  ask(question: string): void
}

/** A tool that agents can call. What `execute` returns is given to the model; what it throws, too, as an error. */
export interface Tool {
  name: string
  label: LocalizedText
  /** What the model is told of it. */
  description: string
  input_schema: JSONSchema
  /** False for the tools that always stay on. */
  disableable: boolean
  /** True for tools that are not offered to those whom the agent delegates to. */
  top_level_only?: boolean
  /** The permission that the account must hold for which the agent acts. */
  permission?: string
  /** Whether this call must be agreed to by a person. */
  needsApproval?(input: never, context: ToolContext): boolean | Promise<boolean>
  execute(input: never, context: ToolContext): Promise<string> | string
}

const assertForm = createFormCheck<Tool>(
  {
    type: 'object',
    properties: {
      name: { type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9_-]{0,63}$' },
      label: localizedText,
      description: { type: 'string', minLength: 1 },
      input_schema: { type: 'object' },
      disableable: { type: 'boolean' },
      top_level_only: { type: 'boolean' },
      permission: { type: 'string' },
      needsApproval: true,
      execute: true,
    },
    required: ['name', 'label', 'description', 'input_schema', 'disableable', 'execute'],
    additionalProperties: false,
  },
  ['needsApproval', 'execute'],
)

/** Checks the form of a tool that a plugin brings, and its schema. */
export function assertTool(candidate: unknown): Tool {
  const subject = `tool "${(candidate as { name?: unknown } | null)?.name}"`
  const tool = assertForm(candidate, subject)
  compileFor(subject, () => assertSchema(tool.input_schema))
  return tool
}
