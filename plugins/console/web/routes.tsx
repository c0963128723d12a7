import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { enterFirstRun } from './first-run/progress.ts'
import { Frame } from './frame/frame.tsx'
import { NotFound } from './frame/not-found.tsx'
import { PageFailure } from './frame/page-failure.tsx'

const root = createRootRoute({ component: Frame })

type Load = Parameters<typeof lazyRouteComponent>[0]

/** A page beside the menu, which is loaded when it is first opened. */
const page = <const Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) })

const chatPage = lazyRouteComponent(() => import('./chat/chat-page.tsx'))

const chat = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: chatPage,
  beforeLoad: enterFirstRun,
})

const anyChat = createRoute({ getParentRoute: () => root, path: '/chat', component: chatPage })

const agentChat = createRoute({ getParentRoute: () => root, path: '/chat/$agent', component: chatPage })

const threadChat = createRoute({
  getParentRoute: () => root,
  path: '/chat/$agent/$thread',
  component: chatPage,
})

const account = page('/account', () => import('./account/account-page.tsx'))
const agents = page('/agents', () => import('./agents/agents-page.tsx'))
const agent = page('/agents/$id', () => import('./agents/agent-page.tsx'))
const tab = <const Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => agent, path, component: lazyRouteComponent(load) })

const agentTabs = [
  tab('/', () => import('./agents/general-tab.tsx')),
  tab('/instructions', () => import('./agents/instructions-tab.tsx')),
  tab('/persona', () => import('./agents/persona-tab.tsx')),
  tab('/tools', () => import('./agents/tools-tab.tsx')),
  tab('/skills', () => import('./agents/skills-tab.tsx')),
  createRoute({
    getParentRoute: () => agent,
    path: '/files',
    validateSearch: ({ path }: Record<string, unknown>): { path?: string } =>
      typeof path === 'string' ? { path } : {},
    component: lazyRouteComponent(() => import('./agents/files-tab.tsx')),
  }),
  tab('/channels', () => import('./channels/channels-tab.tsx')),
  tab('/connectors', () => import('./connectors/connectors-tab.tsx')),
  createRoute({
    getParentRoute: () => agent,
    path: '/schedules',
    validateSearch: ({ example }: Record<string, unknown>): { example?: number } =>
      typeof example === 'number' ? { example } : {},
    component: lazyRouteComponent(() => import('./schedules/schedules-tab.tsx')),
  }),
  tab('/sharing', () => import('./agents/sharing-tab.tsx')),
  tab('/external', () => import('./agents/external-tab.tsx')),
] as const

const channels = page('/channels', () => import('./channels/channels-page.tsx'))
/** The reasons for which a sign-in to a connector failed. */
const SIGN_IN_FAILURES = ['expired', 'changed', 'refused', 'failed'] as const

const connectors = createRoute({
  getParentRoute: () => root,
  path: '/connectors',
  validateSearch: ({ connector_error }: Record<string, unknown>) => {
    const reason = SIGN_IN_FAILURES.find((reason) => reason === connector_error)
    return reason ? { connector_error: reason } : {}
  },
  component: lazyRouteComponent(() => import('./connectors/connectors-page.tsx')),
})
const knowledge = page('/knowledge', () => import('./knowledge/knowledge-page.tsx'))
const knowledgeBase = page('/knowledge/$base', () => import('./knowledge/base-page.tsx'))
const schedules = page('/schedules', () => import('./schedules/schedules-page.tsx'))
const models = page('/models', () => import('./models/models-page.tsx'))
const people = page('/people', () => import('./people/people-page.tsx'))
const invites = page('/invites', () => import('./invites/invites-page.tsx'))
const skills = page('/skills', () => import('./skills/skills-page.tsx'))
const skillPackage = page('/skills/$package', () => import('./skills/package-page.tsx'))
const audit = page('/audit', () => import('./audit/audit-page.tsx'))
const overview = page('/overview', () => import('./overview/overview-page.tsx'))
const usage = page('/usage', () => import('./usage/usage-page.tsx'))
const sso = page('/sso', () => import('./sso/sso-page.tsx'))
const trajectory = page('/chat/$agent/$thread/trajectory', () => import('./trajectory/trajectory-page.tsx'))
const firstRun = page('/first-run', () => import('./first-run/first-run-page.tsx'))
const pluginPage = page('$', () => import('./plugin-pages/plugin-page.tsx'))
/** The pages of the console by their addresses. Each page is loaded when it is first opened. */
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
