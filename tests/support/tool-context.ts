import type { ToolContext } from '../../plugin-api/tool.ts'

/** The context of a tool that is called without a turn around it. */
export const createToolContext = (given: Partial<ToolContext> = {}): ToolContext => ({
  workspace: '/nowhere',
  write_area: null,
  tool_call_id: 'c',
  agent_id: 'a',
  thread_id: 't',
  user_id: 'u',
  locale: 'en',
  signal: new AbortController().signal,
  attach: () => undefined,
  delegate: async () => '',
  ask: async () => '',
  askHeld: async () => '',
  requestAuthorization: async () => undefined,
  cite: () => 1,
  notify: () => undefined,
  readMaterial: () => ({ message_id: 'm', said: [], others: new Set() }),
  progress: () => undefined,
  requestApproval: async () => ({ approved: true, for_thread: false }),
  ...given,
})
