/** An action on an object that `svc apply` may keep: the kind of the object, and the parameter of the path that names it. */
interface GuardedAction {
  kind: string
  param: string
}

/** The actions that change what files declare, by the kind of the object and the parameter that names it. */
const ACTIONS: readonly (GuardedAction & { actions: readonly string[] })[] = [
  {
    kind: 'agent',
    param: 'id',
    actions: [
      ...['update', 'delete', 'transfer', 'share', 'start', 'stop', 'connectors'].map(
        (verb) => `agent.${verb}`,
      ),
      ...['agent.tools_set', 'agent.tool_toggled', 'agent.persona_set'],
      ...['write', 'delete', 'move', 'make_directory'].map((verb) => `file.${verb}`),
      ...['create', 'write', 'switch', 'delete', 'copy'].map((verb) => `skill.${verb}`),
    ],
  },
  { kind: 'channel', param: 'cid', actions: ['channel.update', 'channel.delete'] },
  { kind: 'connector', param: 'id', actions: ['connector.update', 'connector.delete', 'connector.share'] },
  { kind: 'expert', param: 'expert_id', actions: ['expert.update', 'expert.withdraw', 'expert.share'] },
  { kind: 'group', param: 'id', actions: ['group.update', 'group.delete'] },
  { kind: 'prompt', param: 'id', actions: ['prompt.update', 'prompt.delete', 'prompt.share'] },
  { kind: 'provider', param: 'id', actions: ['provider.update', 'provider.delete', 'provider.share'] },
  { kind: 'schedule', param: 'job_id', actions: ['schedule.update', 'schedule.delete'] },
]

/** The actions that make an object, by the kind of the object; their replies have its id. */
const CREATIONS: Readonly<Record<string, string>> = {
  'agent.create': 'agent',
  'channel.create': 'channel',
  'connector.create': 'connector',
  'expert.publish': 'expert',
  'group.create': 'group',
  'prompt.create': 'prompt',
  'provider.create': 'provider',
  'schedule.create': 'schedule',
}

const guarded = new Map<string, GuardedAction>(
  ACTIONS.flatMap(({ actions, ...action }) => actions.map((name) => [name, action])),
)

/** Returns the object that an action changes, as the path of its route names it; undefined if no file declares that. */
export const findGuardedAction = (action: string): GuardedAction | undefined => guarded.get(action)

/** Returns the kind of the object that an action makes; undefined for other actions. */
export const findCreatedKind = (action: string): string | undefined => CREATIONS[action]
