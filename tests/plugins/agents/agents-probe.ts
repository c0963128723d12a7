import type { Events, ExtensionPoints } from '../../../kernel/contract/types.ts'

type AgentPoint =
  | 'agents.unread_counts'
  | 'agents.read_marks'
  | 'agents.activity'
  | 'agents.stopping'
  | 'agents.removal'
type Question<Point extends AgentPoint> = Parameters<ExtensionPoints[Point]>[0]

/** The answers of the plugin `probe` at extension points of agents, and its event handlers, set by a test. */
type Probe = {
  [Point in AgentPoint]?: (question: Question<Point>) => unknown
} & { 'agent.changed'?: (payload: Events['agent.changed']) => unknown }

/** A plugin as an integrator would install it: it extends agents and has a socket that echoes. */
export const probePlugin = `
const points = ['unread_counts', 'read_marks', 'activity', 'stopping', 'removal'].map((name) => 'agents.' + name)
const nothing = { 'agents.unread_counts': new Map(), 'agents.activity': {} }

export default {
  kernel: 1,
  name: 'probe',
  summary: 'Lets a test take part in what happens to agents',
  depends: ['agents'],
  setup(host) {
    for (const point of points)
      host.extend(point, async (asked) => (await globalThis.agentProbe?.[point]?.(asked)) ?? nothing[point])
    host.on('agent.changed', (payload) => globalThis.agentProbe?.['agent.changed']?.(payload))
    host.socket({
      path: '/agents/:id/echo',
      summary: 'Echoes',
      guard: 'agent',
      receive: { say: { type: 'object' } },
      send: { said: { type: 'object', properties: { name: { type: 'string' } } } },
      handler: (connection, request) => ({
        message: () => connection.send({ type: 'said', name: request.context.agent.name }),
      }),
    })
  },
}
`

/** Sets the behaviour of the probe until the next call; it ignores all other events. */
export function setProbe(probe: Probe): void {
  ;(globalThis as { agentProbe?: Probe }).agentProbe = probe
}

/** Resolves with the next `agent.changed` that a test accepts. */
export function nextChange(
  accept: (payload: Events['agent.changed']) => boolean,
): Promise<Events['agent.changed']> {
  return new Promise((resolve) => {
    setProbe({ 'agent.changed': (payload) => accept(payload) && resolve(payload) })
  })
}
