import type { Answer, Declarations } from './route-access.ts'
import type { ServedRoute } from './route-calls.ts'
import type { Account } from './route-cast.ts'

/** The parameters of a path. */
export type Params = Record<string, string>

/** An object that a path names, and the account that made it. */
export interface Made {
  params: Params
  by: Account
}

/** Makes the objects of the accounts of a test. */
export interface World {
  owner: Account
  administrator: Account
  /** Calls the route that creates the object of this path, in an object that is already made. */
  add(container: Made, path: string, fields?: object): Promise<Made>
  addSession(by: Account): Promise<Made>
  addRunner(): Promise<Made>
  addPrice(): Promise<Made>
  /** Has a test sent to a webhook. */
  addDelivery(webhook: Made): Promise<Made>
  addUser(role: 'user' | 'admin', rights: 'all' | 'none'): Promise<Made>
  /** Shares the object of this path with an account, and ends it again if the grant is to be revoked. */
  share(made: Made, path: string, grantee: Account, grant: Grant): Promise<Made>
  /** Creates a group, with all permissions if it is to be a stronger one than the caller. */
  addGroup(rights: 'all' | 'none'): Promise<Made>
  revoke(invite: Made): Promise<Made>
}

/** The way in which an object is shared: the account is named itself, by a group that it is in, or by the grant to everyone. */
export interface Grant {
  way: (typeof WAYS)[number]
  access: (typeof ACCESSES)[number]
  is_revoked?: boolean
}

const WAYS = ['person', 'group', 'everyone'] as const
const ACCESSES = ['use', 'edit'] as const

/** A pair has the reply to administrators second. */
type Answers = Answer | readonly [user: Answer, administrator: Answer]
type Maker = (world: World, caller: Account) => Promise<Made> | Made
type Classes = Record<string, readonly [answers: Answers, make: Maker]>

/** The objects that the path of a route may name, by class. */
export interface PathObjects {
  /** The path of the first object, which several routes share. */
  kind: string
  answers: Record<string, Answers>
  makers: Record<string, Maker>
}

const FORBIDDEN = '403 FORBIDDEN'
const AGENT = '/agents/:id'
/** A channel kind whose bots are linked by a scanned code. */
const SCANNED_KIND = 'qq'

const nothing: Maker = (_, caller) => ({ params: {}, by: caller })
const hidden = (none: Answer) => [none, 'ok'] as const
const isManagedOnly = (isManaged: boolean) => (isManaged ? ([FORBIDDEN, 'ok'] as const) : 'ok')
const add = (world: World, by: Account, path: string, fields?: object) =>
  world.add({ params: {}, by }, path, fields)
const addAgent = (world: World, by: Account, is_shared = false) => add(world, by, AGENT, { is_shared })
const having =
  (params: Params) =>
  (_: unknown, { by, params: outer }: Made) => ({
    by,
    params: { ...outer, ...params },
  })

/** The access to an object that a call needs; messages are read by everybody who wrote them. */
type Need = 'read' | 'use' | 'edit' | 'own'
const RANKS = { read: 0, use: 1, edit: 2, own: 3 }

/** The access that each guard of agents asks for. */
const AGENT_NEEDS: Record<string, Need> = {
  agent: 'use',
  editor: 'edit',
  permitted_owner: 'own',
  owner: 'own',
  thread_reader: 'read',
}

const isOfGrants = ({ path }: Pick<ServedRoute, 'path'>) => path.endsWith('/grants')

/** Routes whose method does not tell the access that they need: credentials are each user's own. */
const NEEDS: Record<string, Need> = {
  'POST /experts/published/:expert_id/install': 'use',
  'POST /connectors/:id/authorize': 'use',
  'PUT /connectors/:id/credentials': 'use',
  'DELETE /connectors/:id/credentials': 'use',
  'GET /connectors/:id/log': 'edit',
}

/** Returns the access that a route needs to the first object in its path. */
function needOf({ name, method, path }: ServedRoute, first: string): Need {
  if (NEEDS[name]) return NEEDS[name]
  if (isOfGrants({ path })) return method === 'GET' ? 'edit' : 'own'
  if (method === 'DELETE' && path === first) return 'own'
  return method === 'GET' ? 'use' : 'edit'
}

/** Returns the classes of an object of somebody else that is or was shared with the caller. */
function shared(
  path: string,
  { need, gone, refused = [FORBIDDEN, 'ok'] }: { need: Need; gone: Answers; refused?: Answers },
  make: (world: World, caller: Account) => Promise<Made>,
): Classes {
  const share = (grant: Grant): Maker => {
    return async (world, caller) => world.share(await make(world, caller), path, caller, grant)
  }
  const grants = WAYS.flatMap((way) =>
    ACCESSES.map((access): [string, Classes[string]] => [
      `${access}_by_${way}`,
      [RANKS[access] < RANKS[need] ? refused : 'ok', share({ way, access })],
    ]),
  )
  const revoked = WAYS.map((way): [string, Classes[string]] => [
    `revoked_from_${way}`,
    [gone, share({ way, access: 'edit', is_revoked: true })],
  ])
  return Object.fromEntries([...grants, ...revoked])
}

/** Agents of the caller or of others; administrators can access all. */
const agents = (need: Need, none: Answer): Classes => ({
  own: ['ok', (world, caller) => addAgent(world, caller)],
  ...shared(AGENT, { need, gone: need === 'read' ? 'ok' : hidden(none) }, async (world, caller) => {
    const agent = await addAgent(world, world.owner, true)
    // Messages that guests wrote while an agent was shared stay readable for them.
    await world.add({ ...agent, by: caller }, `${AGENT}/threads/:thread_id`)
    return agent
  }),
  other: [hidden(none), (world) => addAgent(world, world.owner)],
  missing: [none, nothing],
})

/** Objects that only the account that made them can see. */
const privateTo = (path: string, none: Answer): Classes => ({
  own: ['ok', (world, caller) => add(world, caller, path)],
  other: [none, (world) => add(world, world.owner, path)],
  missing: [none, nothing],
})

/** Objects of an account at an agent; neither the agent's owner nor administrators can see them. */
function privateWithin(path: string, need: Need, noAgent: Answer, none: Answer): Classes {
  const make = async (world: World, by: Account, agent: Promise<Made>) =>
    world.add({ ...(await agent), by }, path)
  const open = (world: World) => addAgent(world, world.owner, true)
  const onShared = Object.entries(
    shared(AGENT, { need, gone: need === 'read' ? 'ok' : hidden(noAgent) }, async (world, caller) => {
      const { params } = await make(world, caller, open(world))
      return { by: world.owner, params }
    }),
  ).map(([name, entry]) => [`own_on_${name}`, entry])
  return {
    own: ['ok', (world, caller) => make(world, caller, addAgent(world, caller))],
    ...Object.fromEntries(onShared),
    other_on_own_agent: [none, (world, caller) => make(world, world.owner, addAgent(world, caller, true))],
    other_on_shared_agent: [none, (world) => make(world, world.owner, open(world))],
    other_on_other_agent: [
      [noAgent, none],
      (world) => make(world, world.owner, addAgent(world, world.owner)),
    ],
    own_below_another_agent: [
      none,
      async (world, caller) => {
        const made = await make(world, caller, addAgent(world, caller))
        return having((await open(world)).params)(world, made)
      },
    ],
    missing: [none, open],
    missing_on_missing_agent: [noAgent, nothing],
  }
}

/** Objects that belong to the owner of the object around them. */
function within(outer: Classes, make: (world: World, container: Made) => Promise<Made> | Made): Classes {
  const { missing, ...existing } = outer
  const inner = Object.entries(existing).map(([name, [answers, makeOuter]]) => [
    name,
    [answers, async (world: World, caller: Account) => make(world, await makeOuter(world, caller))],
  ])
  return { ...Object.fromEntries(inner), missing: missing! }
}

/** Objects whose container exists without them, or is another one. */
const misplaced = (none: Answer, { own: outer }: Classes, inner: Classes): Classes => ({
  own_below_another: [
    none,
    async (world, caller) => {
      const made = await inner.own![1](world, caller)
      return having((await outer![1](world, caller)).params)(world, made)
    },
  ],
  missing_in_own: [none, outer![1]],
})

/** Derives the classes of an object of an agent that other services call, without the agent in the path. */
const hook =
  (parameter: string, path: string) =>
  ({ none }: Facts): Classes => {
    const make = async (world: World, enabled: boolean) => {
      const { by, params } = await world.add(await addAgent(world, world.owner), path, { enabled })
      return { by, params: { [parameter]: params[path.slice(path.lastIndexOf(':') + 1)]! } }
    }
    return {
      enabled: [none, (world) => make(world, true)],
      disabled: [none, (world) => make(world, false)],
      missing: [none, nothing],
    }
  }

/** Things that the server brings along, by the path that names them. */
const BUILT_IN: Record<string, string> = {
  '/experts/:expert_id': 'general-assistant',
  '/agents/from-expert/:expert_id': 'general-assistant',
  '/mbti/codes/:code': 'INFP',
  '/auth/oauth/providers/:kind': 'oidc',
}

/** Parts of objects that no route creates below them. */
const PARTS: Record<string, (world: World, agent: Made) => Promise<Made> | Made> = {
  tool_name: having({ tool_name: 'write_file' }),
  kind: having({ kind: SCANNED_KIND }),
  async username(world, group) {
    const { params } = await world.addUser('user', 'none')
    return having({ username: params.id! })(world, group)
  },
  async package_id(world, agent) {
    const { params } = await add(world, world.administrator, '/skill-packages/:id')
    const container = { params, by: world.administrator }
    const { slug } = (await world.add(container, '/skill-packages/:id/skills/:slug', { slug: 'sample' }))
      .params
    return having({ package_id: params.id!, slug: slug! })(world, agent)
  },
}

/** Objects in others that are not created by a POST to their list. */
const INNER: Record<string, (world: World, container: Made) => Promise<Made>> = {
  delivery_id: (world, webhook) => world.addDelivery(webhook),
}

/** A derivation's facts about a route: the reply about an object that does not exist, and who may do what. */
interface Facts {
  none: Answer
  /** True if the call needs a permission, or changes the object as a whole. */
  isManaged: boolean
  /** True if the path names a member of the object. */
  isMember: boolean
  /** True if the route reads or sets with whom the object is shared. */
  isGrants: boolean
  need: Need
  method: string
}

/** The access to a kind of things beyond its grants. */
interface SharingRules {
  /** True if everybody may use what has no list of grants. */
  isOpen?: boolean
  /** True if administrators have the rights of owners; otherwise only over the grants. */
  isRuled?: boolean
  /** True if administrators delete what is shared. */
  isCleared?: boolean
  make?: (world: World, by: Account) => Promise<Made>
}

/** Derives the classes of a kind of things that their owners share. */
const shareable =
  (
    path: string,
    {
      isOpen = false,
      isRuled = false,
      isCleared = false,
      make = (world, by) => add(world, by, path),
    }: SharingRules = {},
  ) =>
  ({ none, need, isGrants, method }: Facts): Classes => {
    const gone = isRuled || isGrants ? hidden(none) : none
    const isAllowed = isRuled || isGrants || (isCleared && method === 'DELETE')
    const refused = isAllowed ? ([FORBIDDEN, 'ok'] as const) : FORBIDDEN
    const makeOther = (world: World) => make(world, world.owner)
    const unlisted = need === 'use' ? 'ok' : refused
    return {
      own: ['ok', make],
      other: [isOpen ? unlisted : gone, makeOther],
      ...shared(path, { need, gone, refused }, makeOther),
      missing: [none, nothing],
    }
  }

/** The first objects of paths that are not merely private to the account that created them. */
const FIRST: Record<string, (facts: Facts) => Classes> = {
  '/providers/:id': ({ none, isManaged }) => ({
    ...privateTo('/providers/:id', none),
    global: [
      isManaged ? FORBIDDEN : 'ok',
      (world) => add(world, world.administrator, '/admin/providers/:id'),
    ],
  }),
  '/admin/providers/:id': ({ none }) => ({
    global: ['ok', (world) => add(world, world.administrator, '/admin/providers/:id')],
    own: [none, (world, caller) => add(world, caller, '/providers/:id')],
    other: [none, (world) => add(world, world.owner, '/providers/:id')],
    missing: [none, nothing],
  }),
  '/connectors/:id': (facts) => ({
    ...shareable('/connectors/:id')(facts),
    global: [
      isManagedOnly(facts.isManaged || facts.isGrants),
      (world) => add(world, world.administrator, '/connectors/:id', { scope: 'global' }),
    ],
  }),
  '/knowledge-bases/:id': shareable('/knowledge-bases/:id'),
  '/projects/:id': shareable('/projects/:id'),
  '/prompts/:id': shareable('/prompts/:id', { isCleared: true }),
  '/skill-packages/:id': shareable('/skill-packages/:id', { isOpen: true, isRuled: true }),
  '/experts/published/:expert_id': shareable('/experts/published/:expert_id', {
    isOpen: true,
    isRuled: true,
    make: async (world, by) => world.add(await addAgent(world, by), `${AGENT}/publish-expert/:expert_id`),
  }),
  '/v1/models/:model': ({ none }) =>
    within(agents('use', none), (world, agent) => having({ model: agent.params.id! })(world, agent)),
  '/auth/sessions/:id': ({ none }) => ({
    own: ['ok', (world, caller) => world.addSession(caller)],
    other: [none, (world) => world.addSession(world.owner)],
    missing: [none, nothing],
  }),
  // Everybody has the runners, with their own settings; only runners that administrators defined can be deleted.
  '/acp/:name': ({ none, isManaged }) => ({
    built_in: [isManaged ? FORBIDDEN : 'ok', (_, by) => ({ params: { name: 'opencode' }, by })],
    defined: [isManagedOnly(isManaged), (world) => world.addRunner()],
    missing: [none, nothing],
  }),
  '/admin/plugins/:name': ({ none }) => ({
    built_in: ['ok', (_, by) => ({ params: { name: 'metrics' }, by })],
    missing: [none, nothing],
  }),
  '/admin/prices/:model': ({ none, method }) => ({
    set: ['ok', (world) => world.addPrice()],
    ...(method === 'DELETE' && { missing: [none, nothing] as const }),
  }),
  // Managers of accounts cannot take over an account with more rights than their own.
  '/users/:id'({ none, method }) {
    const answers = isManagedOnly(method !== 'GET')
    return {
      own: ['ok', (_, caller) => ({ params: { id: caller.username }, by: caller })],
      other: ['ok', (world) => world.addUser('user', 'none')],
      stronger: [answers, (world) => world.addUser('user', 'all')],
      administrator: [answers, (world) => world.addUser('admin', 'none')],
      missing: [none, nothing],
    }
  },
  // Managers of accounts cannot grant or revoke what they do not hold.
  '/groups/:id'({ none, method, isMember }) {
    const isChange = method === 'DELETE' || isMember
    return {
      weaker: ['ok', (world) => world.addGroup('none')],
      stronger: [isManagedOnly(isChange), (world) => world.addGroup('all')],
      missing: [none, nothing],
    }
  },
  '/users/invites/:invite_id'({ none }) {
    const path = '/users/invites/:invite_id'
    return {
      pending: ['ok', (world) => add(world, world.administrator, path)],
      revoked: ['ok', async (world) => world.revoke(await add(world, world.administrator, path))],
      missing: [none, nothing],
    }
  },
  '/shares/:share_id': ({ none }) => ({
    own: ['ok', (world, caller) => addShare(world, caller)],
    other: [none, (world) => addShare(world, world.owner)],
    missing: [none, nothing],
  }),
  // The server of these tests lets everybody with the address read what is shared by a link.
  '/shared/:share_id': ({ none }) => ({
    own: ['ok', (world, caller) => addShare(world, caller)],
    other: ['ok', (world) => addShare(world, world.owner)],
    missing: [none, nothing],
  }),
  '/hooks/:channel_id': hook('channel_id', `${AGENT}/channels/:cid`),
  '/hooks/triggers/:trigger_id': hook('trigger_id', `${AGENT}/triggers/:trigger_id`),
}

const SHARE = `${AGENT}/threads/:thread_id/shares/:share_id`

async function addShare(world: World, by: Account): Promise<Made> {
  const thread = await world.add(await addAgent(world, by), `${AGENT}/threads/:thread_id`)
  return world.add(thread, SHARE, { audience: 'link' })
}

/** Returns the objects that the path of a route may name; undefined if it names none. */
export function pathObjectsOf(
  route: ServedRoute,
  { errors, guards, routes, who }: Declarations & { who: string },
): PathObjects | undefined {
  const { name, path, method, guard = 'public' } = route
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter!)
  const first = /^.*?:\w+/.exec(path)?.[0]
  if (!first) return undefined
  const listAbsences = (codes: readonly string[] = []) =>
    codes
      .filter((code) => errors[code]!.status === 404)
      .map((code): Answer => `404 ${errors[code]!.code ?? code}`)
  // Declared in the order of the objects in the path.
  const [none = '404 NOT_FOUND', innerNone = none] = listAbsences(route.errors)
  const guardName = typeof guard === 'string' ? guard : guard[0]
  const isWhole = path === first && ['PATCH', 'DELETE'].includes(method)
  const isManaged = isWhole || !['public', 'user', 'admin'].includes(who)
  const facts = {
    ...{ none, method, isManaged, need: needOf(route, first), isGrants: isOfGrants(route) },
    isMember: parameters[1] === 'username',
  }
  const creates = (objectPath: string) =>
    routes.some((other) => other.name === `POST ${objectPath.replace(/\/:\w+$/, '')}`)
  /** Finds the path of an object below the first one: the shortest that ends with the parameter. */
  const findPath = (parameter: string) =>
    routes
      .map((other) => other.path)
      .filter((other) => other.startsWith(`${first}/`) && other.endsWith(`/:${parameter}`) && creates(other))
      .sort((a, b) => a.length - b.length)[0]
  const toObjects = (classes: Classes): PathObjects => ({
    kind: first,
    answers: Object.fromEntries(Object.entries(classes).map(([key, [answers]]) => [key, answers])),
    makers: Object.fromEntries(Object.entries(classes).map(([key, [, make]]) => [key, make])),
  })
  /** Adds classes of the object in a container, unless a PUT creates what does not exist. */
  const withMisplaced = (absent: Answer, outer: Classes, inner: Classes) => {
    const { missing, ...existing } = inner
    const isCreated = method === 'PUT' && route.response?.[201] !== undefined
    return toObjects(
      isCreated ? inner : { ...existing, ...misplaced(absent, outer, inner), missing: missing! },
    )
  }

  const innerPath = parameters.slice(1).map(findPath).find(Boolean)
  if (first === AGENT) {
    const [noAgent = none] = listAbsences(guards.get('agent')?.errors)
    if (guardName === 'public') {
      const { other, missing } = agents('use', noAgent)
      return toObjects({ other: other!, missing: missing! })
    }
    const need = AGENT_NEEDS[guardName] ?? (isOfGrants(route) ? facts.need : undefined)
    if (need === undefined)
      throw new Error(
        `${name}: tests/support/path-objects.ts needs the access that the guard "${guardName}" asks for`,
      )
    const outer = agents(need, noAgent)
    if (parameters.length === 1) return toObjects(outer)
    if (innerPath && RANKS[need] < RANKS.edit) return toObjects(privateWithin(innerPath, need, noAgent, none))
    if (innerPath)
      return withMisplaced(
        none,
        outer,
        within(outer, (world, agent) => world.add(agent, innerPath)),
      )
    const part = PARTS[parameters[1]!]
    if (!part)
      throw new Error(
        `${name}: tests/support/path-objects.ts needs a part "${parameters[1]}", as no route creates it`,
      )
    const { missing, ...existing } = within(outer, part)
    return toObjects({ ...existing, missing_in_own: [none, outer.own![1]], missing: missing! })
  }
  const value = BUILT_IN[first]
  if (value !== undefined) {
    const make: Maker = (_, by) => ({ params: { [parameters[0]!]: value }, by })
    return toObjects({ known: ['ok', make], missing: [none, nothing] })
  }
  if (!FIRST[first] && !creates(first))
    throw new Error(
      `${name}: tests/support/path-objects.ts must make the object "${first}", as no route creates it`,
    )
  const outer = FIRST[first]?.(facts) ?? privateTo(first, none)
  const part = parameters[1] ? PARTS[parameters[1]] : undefined
  const addInner = innerPath
    ? (world: World, container: Made) => world.add(container, innerPath)
    : INNER[parameters[1] ?? '']
  if (addInner) return withMisplaced(innerNone, outer, within(outer, addInner))
  return toObjects(part ? within(outer, part) : outer)
}
