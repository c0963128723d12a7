import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { ChatPage } from './chat/chat-page.tsx'
import { enterFirstRun } from './first-run/progress.ts'
import { Frame } from './frame/frame.tsx'
import { NotFound } from './frame/not-found.tsx'
import { PageFailure } from './frame/page-failure.tsx'
import { withPageWords } from './i18n/load.ts'

const root = createRootRoute({ component: Frame })

/** A page beside the menu. */
const page = <const Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component })

const loadAgents = withPageWords(() => import('./areas/agents.ts'))
const loadConversations = withPageWords(() => import('./areas/conversations.ts'))
const loadSettings = withPageWords(() => import('./areas/settings.ts'))

/** The words and filters of the search page, as its address has them. */
interface SearchFilters {
  q?: string | undefined
  agent?: string | undefined
  project?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

const readDay = (value: unknown) => {
  const text = readText(value)
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : undefined
}

const chat = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: ChatPage,
  beforeLoad: enterFirstRun,
})

const anyChat = createRoute({ getParentRoute: () => root, path: '/chat', component: ChatPage })

const readText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const agentChat = createRoute({
  getParentRoute: () => root,
  path: '/chat/$agent',
  // The project that a new conversation belongs to.
  validateSearch: ({ project }: Record<string, unknown>): { project?: string | undefined } => ({
    project: readText(project),
  }),
  component: ChatPage,
})

const threadChat = createRoute({
  getParentRoute: () => root,
  path: '/chat/$agent/$thread',
  // The message to scroll to.
  validateSearch: ({ message }: Record<string, unknown>): { message?: string | undefined } => ({
    message: readText(message),
  }),
  component: ChatPage,
})

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: ({ q, agent, project, from, to }: Record<string, unknown>): SearchFilters => ({
    // Words that look like a number are one in the address.
    q: q === undefined ? undefined : String(q),
    agent: readText(agent),
    project: readText(project),
    from: readDay(from),
    to: readDay(to),
  }),
  component: lazyRouteComponent(loadConversations, 'SearchPage'),
})
const archived = page('/archived', lazyRouteComponent(loadConversations, 'ArchivedPage'))
const projects = page('/projects', lazyRouteComponent(loadConversations, 'ProjectsPage'))
const project = page('/projects/$project', lazyRouteComponent(loadConversations, 'ProjectPage'))
const settings = page('/settings', lazyRouteComponent(loadSettings, 'SettingsPage'))

const memory = page('/memory', lazyRouteComponent(loadSettings, 'MemoryPage'))
const account = page('/account', lazyRouteComponent(loadSettings, 'AccountPage'))
const imports = page(
  '/account/import',
  lazyRouteComponent(withPageWords(() => import('./imports/import-page.tsx'))),
)
const agents = page('/agents', lazyRouteComponent(loadAgents, 'AgentsPage'))
const agent = page('/agents/$id', lazyRouteComponent(loadAgents, 'AgentPage'))
const tab = <const Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => agent, path, component })

const agentTabs = [
  tab('/', lazyRouteComponent(loadAgents, 'GeneralTab')),
  tab('/instructions', lazyRouteComponent(loadAgents, 'InstructionsTab')),
  tab('/persona', lazyRouteComponent(loadAgents, 'PersonaTab')),
  tab('/tools', lazyRouteComponent(loadAgents, 'ToolsTab')),
  tab('/skills', lazyRouteComponent(loadAgents, 'SkillsTab')),
  createRoute({
    getParentRoute: () => agent,
    path: '/files',
    validateSearch: ({ path }: Record<string, unknown>): { path?: string | undefined } => ({
      path: typeof path === 'string' ? path : undefined,
    }),
    component: lazyRouteComponent(loadAgents, 'FilesTab'),
  }),
  tab('/channels', lazyRouteComponent(loadAgents, 'ChannelsTab')),
  tab('/connectors', lazyRouteComponent(loadAgents, 'ConnectorsTab')),
  createRoute({
    getParentRoute: () => agent,
    path: '/schedules',
    validateSearch: ({ example }: Record<string, unknown>): { example?: number | undefined } => ({
      example: typeof example === 'number' ? example : undefined,
    }),
    component: lazyRouteComponent(loadAgents, 'SchedulesTab'),
  }),
  tab('/triggers', lazyRouteComponent(loadAgents, 'TriggersTab')),
  tab('/sharing', lazyRouteComponent(loadAgents, 'SharingTab')),
  tab('/external', lazyRouteComponent(loadAgents, 'ExternalTab')),
  tab(
    '/plugin/$plugin/$module',
    lazyRouteComponent(() => import('./slots/slot-tab.tsx')),
  ),
] as const

const channels = page('/channels', lazyRouteComponent(loadAgents, 'ChannelsPage'))
/** The reasons for which a sign-in to a connector failed. */
const SIGN_IN_FAILURES = [
  'expired',
  'changed',
  'refused',
  'failed',
  'client',
  'resource',
  'unavailable',
] as const

const connectors = createRoute({
  getParentRoute: () => root,
  path: '/connectors',
  // A parameter that is left out keeps the value of the address.
  validateSearch: ({
    connector_error,
  }: Record<string, unknown>): { connector_error?: (typeof SIGN_IN_FAILURES)[number] | undefined } => ({
    connector_error: SIGN_IN_FAILURES.find((reason) => reason === connector_error),
  }),
  component: lazyRouteComponent(loadAgents, 'ConnectorsPage'),
})
const knowledge = page('/knowledge', lazyRouteComponent(loadAgents, 'KnowledgePage'))
const knowledgeBase = page('/knowledge/$base', lazyRouteComponent(loadAgents, 'BasePage'))
const schedules = page('/schedules', lazyRouteComponent(loadAgents, 'SchedulesPage'))
const storage = createRoute({
  getParentRoute: () => root,
  path: '/storage',
  validateSearch: ({ agent }: Record<string, unknown>): { agent?: string | undefined } => ({
    agent: typeof agent === 'string' ? agent : undefined,
  }),
  component: lazyRouteComponent(loadAgents, 'StoragePage'),
})
const models = createRoute({
  getParentRoute: () => root,
  path: '/models',
  validateSearch: ({ provider }: Record<string, unknown>): { provider?: string | undefined } => ({
    provider: typeof provider === 'string' ? provider : undefined,
  }),
  component: lazyRouteComponent(loadSettings, 'ModelsPage'),
})
const people = page('/people', lazyRouteComponent(loadSettings, 'PeoplePage'))
const groups = page('/people/groups', lazyRouteComponent(loadSettings, 'GroupsPage'))
const invites = page('/invites', lazyRouteComponent(loadSettings, 'InvitesPage'))
const prompts = page('/prompts', lazyRouteComponent(loadAgents, 'PromptsPage'))
const skills = page('/skills', lazyRouteComponent(loadAgents, 'SkillsPage'))
const skillPackage = page('/skills/$package', lazyRouteComponent(loadAgents, 'PackagePage'))
const audit = page('/audit', lazyRouteComponent(loadSettings, 'AuditPage'))
const plugins = page('/plugins', lazyRouteComponent(loadSettings, 'PluginsPage'))
const webSearch = page('/web-search', lazyRouteComponent(loadSettings, 'WebSearchPage'))
const overview = page('/overview', lazyRouteComponent(loadSettings, 'OverviewPage'))
const usage = page('/usage', lazyRouteComponent(loadSettings, 'UsagePage'))
const prices = page('/usage/prices', lazyRouteComponent(loadSettings, 'PricesPage'))
const sso = page('/sso', lazyRouteComponent(loadSettings, 'SsoPage'))
const trajectory = page('/chat/$agent/$thread/trajectory', lazyRouteComponent(loadSettings, 'TrajectoryPage'))
const firstRun = page('/first-run', lazyRouteComponent(loadSettings, 'FirstRunPage'))
const shared = page(
  '/shared/$share',
  lazyRouteComponent(withPageWords(() => import('./shares/shared-page.tsx'))),
)
const slotPage = page(
  '$',
  lazyRouteComponent(() => import('./slots/slot-page.tsx')),
)

/** The pages of the console by their addresses. Those outside of the chat are loaded when one of their area is first opened. */
export const router = createRouter({
  routeTree: root.addChildren([
    chat,
    anyChat,
    agentChat,
    threadChat,
    search,
    archived,
    projects,
    project,
    settings,
    account,
    imports,
    memory,
    agents,
    agent.addChildren(agentTabs),
    channels,
    connectors,
    knowledge,
    knowledgeBase,
    schedules,
    storage,
    models,
    people,
    groups,
    invites,
    prompts,
    skills,
    skillPackage,
    audit,
    overview,
    plugins,
    webSearch,
    usage,
    prices,
    sso,
    trajectory,
    firstRun,
    shared,
    slotPage,
  ]),
  defaultPreload: 'intent',
  defaultNotFoundComponent: () => <NotFound />,
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
