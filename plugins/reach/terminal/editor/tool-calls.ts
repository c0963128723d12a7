import type { PlanEntry, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { shorten } from '../printable.ts'

/** The tool with the calls that are shown as the agent's plan. */
export const PLAN_TOOL = 'write_todos'

const KINDS: Record<string, ToolKind> = {
  read_file: 'read',
  ls: 'read',
  write_file: 'edit',
  edit_file: 'edit',
  execute: 'execute',
  run_python: 'execute',
  glob: 'search',
  grep: 'search',
  web_fetch: 'fetch',
}

/** The arguments that describe a call best, the best first. */
const TITLE_ARGUMENTS = [
  'command',
  'pattern',
  'path',
  'url',
  'query',
  'question',
  'description',
  'prompt',
  'name',
]
const TITLE_COLUMNS = 100

const STATUSES = ['pending', 'in_progress', 'completed'] as const

/** The description of a call for an editor. */
interface CallDescription {
  title: string
  name: string
  kind: ToolKind
  locations: ToolCallLocation[]
  rawInput: unknown
}

/** Describes a call; its locations are paths in the agent's workspace. */
export function describeCall(name: string, input: unknown): CallDescription {
  const fields = readFields(input)
  const { path } = fields
  return {
    title: describeTitle(name, fields),
    name,
    kind: Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other',
    locations: typeof path === 'string' && path ? [{ path }] : [],
    rawInput: input,
  }
}

/** Reads the plan in the input of a `write_todos` call; undefined if the input is not a plan. */
export function readPlan(input: unknown): PlanEntry[] | undefined {
  const { todos } = readFields(input)
  if (!Array.isArray(todos)) return undefined
  return todos.flatMap((todo) => {
    const { content, status } = readFields(todo)
    const knownStatus = STATUSES.find((candidate) => candidate === status)
    return typeof content === 'string' && knownStatus
      ? [{ content, status: knownStatus, priority: 'medium' }]
      : []
  })
}

function describeTitle(name: string, fields: Record<string, unknown>): string {
  const key = TITLE_ARGUMENTS.find((candidate) => typeof fields[candidate] === 'string')
  const words = [name, key && fields[key], ...(key === 'command' && isTexts(fields.args) ? fields.args : [])]
  return shorten(words.filter(Boolean).join(' '), TITLE_COLUMNS)
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const readFields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
