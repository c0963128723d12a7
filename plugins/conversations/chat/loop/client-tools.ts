import type { Tool } from '#plugin-api'
import type { TurnSettings } from '../documents.ts'
import { type LedgerEvent, type PendingApproval, UNKNOWN_MODEL } from '../ledger/ledger-event.ts'

/** A tool of the program that asks for a turn. Its schema is JSON text, because names in it are not fit for storage. */
export interface ClientTool {
  name: string
  description: string
  input_schema: string
  strict?: boolean
}

/** The tools that a program offers for a turn, and which of them the model must call. */
export interface ClientTools {
  tools: readonly ClientTool[]
  /** The model must call any tool, or the named one; it may choose otherwise. */
  must_call?: 'any' | { name: string }
  /** True if the program receives the calls of one answer one after the other. */
  is_sequential?: true
}

/** A tool that is not carried out here: the turn pauses until its program sends the result. */
export interface RemoteTool extends Tool {
  is_remote: true
  is_sequential: boolean
  strict?: boolean
}

/** Returns the tools of a turn's program as the model receives them; their input is passed on unchecked. */
export const toRemoteTools = ({ client_tools }: Pick<TurnSettings, 'client_tools'>): RemoteTool[] =>
  (client_tools?.tools ?? []).map(({ name, description, input_schema, strict }) => ({
    name,
    label: { en: name, zh: name },
    description,
    input_schema: JSON.parse(input_schema),
    disableable: false,
    top_level_only: true,
    is_remote: true,
    is_sequential: client_tools?.is_sequential === true,
    ...(strict !== undefined && { strict }),
    execute() {
      throw new Error(`${name} is carried out by the program that offers it`)
    },
  }))

/** True for the tool of a program. */
export const isRemote = (tool: Tool): tool is RemoteTool => 'is_remote' in tool

/** True if a turn waits for results of its program, which no person decides. */
export const waitsForClient = ({ action_requests }: Pick<PendingApproval, 'action_requests'>): boolean =>
  action_requests.some(({ for_client }) => for_client)

/**
 * Counts the model calls of a turn before its program last sent results: the program may go on as often as it likes, so
 * they do not count as steps of the agent.
 */
export function countClientSteps(events: readonly LedgerEvent[]): number {
  const last = events.findLastIndex(
    (event) => event.results !== undefined || (event.type === 'usage' && event.frame.model === UNKNOWN_MODEL),
  )
  return events
    .slice(0, last + 1)
    .filter(
      ({ type, frame }) =>
        type === 'usage' && frame.message_id !== undefined && frame.parent_tool_call_id === undefined,
    ).length
}
