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

const root = createRootRoute({ component: Frame })

/** A page beside the menu. */
const page = <const Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component })

const loadAgents = () => import('./areas/agents.ts')
const loadSettings = () => import('./areas/settings.ts')

const chat = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: ChatPage,
  beforeLoad: enterFirstRun,
})

const anyChat = createRoute({ getParentRoute: () => root, path: '/chat', component: ChatPage })

const agentChat = createRoute({ getParentRoute: () => root, path: '/chat/$agent', component: ChatPage })

const threadChat = createRoute({
  getParentRoute: () => root,
  path: '/chat/$agent/$thread',
  component: ChatPage,
})

const account = page('/account', lazyRouteComponent(loadSettings, 'AccountPage'))
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
  tab('/sharing', lazyRouteComponent(loadAgents, 'SharingTab')),
  tab('/external', lazyRouteComponent(loadAgents, 'ExternalTab')),
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
const models = page('/models', lazyRouteComponent(loadSettings, 'ModelsPage'))
const people = page('/people', lazyRouteComponent(loadSettings, 'PeoplePage'))
const invites = page('/invites', lazyRouteComponent(loadSettings, 'InvitesPage'))
const skills = page('/skills', lazyRouteComponent(loadAgents, 'SkillsPage'))
const skillPackage = page('/skills/$package', lazyRouteComponent(loadAgents, 'PackagePage'))
const audit = page('/audit', lazyRouteComponent(loadSettings, 'AuditPage'))
const overview = page('/overview', lazyRouteComponent(loadSettings, 'OverviewPage'))
const usage = page('/usage', lazyRouteComponent(loadSettings, 'UsagePage'))
const sso = page('/sso', lazyRouteComponent(loadSettings, 'SsoPage'))
const trajectory = page('/chat/$agent/$thread/trajectory', lazyRouteComponent(loadSettings, 'TrajectoryPage'))
const firstRun = page('/first-run', lazyRouteComponent(loadSettings, 'FirstRunPage'))
const pluginPage = page(
  '$',
  lazyRouteComponent(() => import('./plugin-pages/plugin-page.tsx')),
)
/** The pages of the console by their addresses. Those outside of the chat are loaded when one of their area is first opened. */
export const router = createRouter({
  routeTree: root.addChildren([
    chat,
    anyChat,
    agentChat,
    threadChat,
    account,
    agents,
    agent.addChildren(agentTabs),
    channels,
    connectors,
    knowledge,
    knowledgeBase,
    schedules,
    models,
    people,
    invites,
    skills,
    skillPackage,
    audit,
    overview,
    usage,
    sso,
    trajectory,
    firstRun,
    pluginPage,
  ]),
  defaultPreload: 'intent',
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
