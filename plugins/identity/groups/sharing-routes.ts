import { type Route, rowOf } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import { directoryQuery, directoryRows, directorySettings, newGrants } from './schemas.ts'

/** A kind of things with the path of one of them. */
interface SharedPath {
  kind: string
  path: `/${string}/:${string}`
  /** For operation ids, and for texts. */
  title: string
  noun: string
  guard?: 'admin'
  notFound: string
}

const PATHS: readonly SharedPath[] = [
  { kind: 'agent', path: '/agents/:id', title: 'Agent', noun: 'an agent', notFound: 'AGENT_NOT_FOUND' },
  {
    kind: 'knowledge_base',
    path: '/knowledge-bases/:id',
    title: 'KnowledgeBase',
    noun: 'a knowledge base',
    notFound: 'KNOWLEDGE_BASE_NOT_FOUND',
  },
  {
    kind: 'connector',
    path: '/connectors/:id',
    title: 'Connector',
    noun: 'a connector',
    notFound: 'NOT_FOUND',
  },
  {
    kind: 'project',
    path: '/projects/:id',
    title: 'Project',
    noun: 'a project',
    notFound: 'PROJECT_NOT_FOUND',
  },
  {
    kind: 'prompt',
    path: '/prompts/:id',
    title: 'Prompt',
    noun: 'a saved prompt',
    notFound: 'PROMPT_NOT_FOUND',
  },
  {
    kind: 'skill_package',
    path: '/skill-packages/:id',
    title: 'SkillPackage',
    noun: 'a skill package',
    notFound: 'SKILL_PACKAGE_NOT_FOUND',
  },
  {
    kind: 'expert',
    path: '/experts/published/:expert_id',
    title: 'PublishedExpert',
    noun: 'a published expert',
    notFound: 'NOT_FOUND',
  },
  {
    kind: 'provider',
    path: '/admin/providers/:id',
    title: 'ServerProvider',
    noun: 'a provider of the server',
    guard: 'admin',
    notFound: 'NOT_FOUND',
  },
]

/** Returns the two routes of one kind. */
function grantRoutes({ kind, path, title, noun, notFound, ...rest }: SharedPath): Route<Cradle>[] {
  // Both add a caller, and nothing else.
  const guard = (rest.guard ?? 'user') as 'user'
  const name = path.slice(path.indexOf(':') + 1)
  const params = rowOf({ [name]: { type: 'string', maxLength: 256, description: `The id of ${noun}` } })
  const keyIn = (values: object) => (values as Record<string, string>)[name]!
  return [
    route({
      method: 'GET',
      path: `${path}/grants`,
      operation_id: `get${title}Grants`,
      summary: `List with whom ${noun} is shared`,
      description: `Lists the people and groups with whom ${noun} is shared, for its owner, administrators, and those who may change it.`,
      guard,
      params,
      response: { 200: newGrants },
      errors: [notFound, 'FORBIDDEN'],
    }).handle(({ caller, params: values }, { sharing }) => sharing.read(caller, kind, keyIn(values))),

    route({
      method: 'PUT',
      path: `${path}/grants`,
      operation_id: `set${title}Grants`,
      summary: `Share ${noun}`,
      description: `Replaces the list of people and groups with whom ${noun} is shared, for its owner and administrators. An empty list is nobody else. Whoever is no longer in the list loses what is open and running within a second.`,
      guard,
      params,
      body: newGrants,
      response: { 200: newGrants },
      errors: [notFound, 'FORBIDDEN', 'SHARING_OFF', 'SHARING_LIMITED'],
      audit: { action: `${kind}.share`, target: name },
    }).handle(({ caller, params: values, body }, { sharing }) =>
      sharing.replace(caller, kind, keyIn(values), body),
    ),
  ]
}

const searchDirectory = route({
  method: 'GET',
  path: '/directory',
  operation_id: 'searchDirectory',
  summary: 'Search people and groups',
  description:
    'Lists people and groups with whom the caller may share: groups first, then people by username. Without `q`, the first ones.',
  guard: 'user',
  query: directoryQuery,
  response: { 200: directoryRows },
}).handle(({ caller, query }, { directory }) => directory.search(caller, query))

const readSettings = route({
  method: 'GET',
  path: '/directory/settings',
  operation_id: 'getDirectorySettings',
  summary: 'Get with whom you may share',
  description: 'Tells with whom the caller may share. Administrators may share with everyone.',
  guard: 'user',
  response: { 200: directorySettings },
}).handle(({ caller }, { directory }) => ({ sharing: directory.sharingOf(caller) }))

/** The routes of grants, and of the people and groups to choose from. */
export const sharingRoutes: Route<Cradle>[] = [...PATHS.flatMap(grantRoutes), searchDirectory, readSettings]
