import type { Events } from '../../kernel/types.ts'

type AgentEvent = Extract<keyof Events, `agent.${string}`>

/** What the plugin `probe` does with each event of agents, set by a test. */
export type Probe = { [Event in AgentEvent]?: (payload: Events[Event]) => unknown }

/** A plugin as an integrator would install it: it hears of agents and has a socket that echoes. */
export const probePlugin = `
const events = ['rows_listed', 'read', 'status_read', 'stopping', 'changed', 'deleted'].map((name) => 'agent.' + name)

export default {
  kernel: 1,
  name: 'probe',
  summary: 'Lets a test take part in what happens to agents',
  kernel: 1,
  depends: ['agents'],
  setup(host) {
    for (const event of events) host.on(event, (payload) => globalThis.agentProbe?.[event]?.(payload))
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

/** Sets what the probe does until the next call; events not named are passed over. */
export function setProbe(probe: Probe): void {
  ;(globalThis as { agentProbe?: Probe }).agentProbe = probe
}

/** Resolves with the next payload of an event that a test accepts. */
export function nextEvent<Event extends AgentEvent>(
  event: Event,
  accept: (payload: Events[Event]) => boolean = () => true,
): Promise<Events[Event]> {
  return new Promise((resolve) => {
    setProbe({ [event]: (payload: Events[Event]) => accept(payload) && resolve(payload) })
  })
}
