import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { enterFirstRun } from './first-run/progress.ts'
import { Frame } from './frame/frame.tsx'
import { NotFound } from './frame/not-found.tsx'
import { PageFailure } from './frame/page-failure.tsx'

const root = createRootRoute({ component: Frame })

const chatPage = lazyRouteComponent(() => import('./chat/chat-page.tsx'))

const chat = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: chatPage,
  beforeLoad: enterFirstRun,
})

const agentChat = createRoute({ getParentRoute: () => root, path: '/chat/$agent', component: chatPage })

const threadChat = createRoute({
  getParentRoute: () => root,
  path: '/chat/$agent/$thread',
  component: chatPage,
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('./account/account-page.tsx')),
})

const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents/agents-page.tsx')),
})

const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$id',
  component: lazyRouteComponent(() => import('./agents/agent-page.tsx')),
})

const agentTabs = [
  createRoute({
    getParentRoute: () => agent,
    path: '/',
    component: lazyRouteComponent(() => import('./agents/general-tab.tsx')),
  }),
  createRoute({
    getParentRoute: () => agent,
    path: '/instructions',
    component: lazyRouteComponent(() => import('./agents/instructions-tab.tsx')),
  }),
  createRoute({
    getParentRoute: () => agent,
    path: '/persona',
    component: lazyRouteComponent(() => import('./agents/persona-tab.tsx')),
  }),
  createRoute({
    getParentRoute: () => agent,
    path: '/tools',
    component: lazyRouteComponent(() => import('./agents/tools-tab.tsx')),
  }),
  createRoute({
    getParentRoute: () => agent,
    path: '/skills',
    component: lazyRouteComponent(() => import('./agents/skills-tab.tsx')),
  }),
  createRoute({
    getParentRoute: () => agent,
    path: '/files',
    validateSearch: ({ path }: Record<string, unknown>): { path?: string } =>
      typeof path === 'string' ? { path } : {},
    component: lazyRouteComponent(() => import('./agents/files-tab.tsx')),
  }),
  createRoute({
    getParentRoute: () => agent,
    path: '/channels',
    component: lazyRouteComponent(() => import('./channels/channels-tab.tsx')),
  }),
  createRoute({
    getParentRoute: () => agent,
    path: '/schedules',
    validateSearch: ({ example }: Record<string, unknown>): { example?: number } =>
      typeof example === 'number' ? { example } : {},
    component: lazyRouteComponent(() => import('./schedules/schedules-tab.tsx')),
  }),
  createRoute({
    getParentRoute: () => agent,
    path: '/sharing',
    component: lazyRouteComponent(() => import('./agents/sharing-tab.tsx')),
  }),
  createRoute({
    getParentRoute: () => agent,
    path: '/external',
    component: lazyRouteComponent(() => import('./agents/external-tab.tsx')),
  }),
] as const

const channels = createRoute({
  getParentRoute: () => root,
  path: '/channels',
  component: lazyRouteComponent(() => import('./channels/channels-page.tsx')),
})

const schedules = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./schedules/schedules-page.tsx')),
})

const models = createRoute({
  getParentRoute: () => root,
  path: '/models',
  component: lazyRouteComponent(() => import('./models/models-page.tsx')),
})

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  component: lazyRouteComponent(() => import('./people/people-page.tsx')),
})

const invites = createRoute({
  getParentRoute: () => root,
  path: '/invites',
  component: lazyRouteComponent(() => import('./invites/invites-page.tsx')),
})

const skills = createRoute({
  getParentRoute: () => root,
  path: '/skills',
  component: lazyRouteComponent(() => import('./skills/skills-page.tsx')),
})

const skillPackage = createRoute({
  getParentRoute: () => root,
  path: '/skills/$package',
  component: lazyRouteComponent(() => import('./skills/package-page.tsx')),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  component: lazyRouteComponent(() => import('./audit/audit-page.tsx')),
})

const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx')),
})

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx')),
})

const sso = createRoute({
  getParentRoute: () => root,
  path: '/sso',
  component: lazyRouteComponent(() => import('./sso/sso-page.tsx')),
})

const trajectory = createRoute({
  getParentRoute: () => root,
  path: '/chat/$agent/$thread/trajectory',
  component: lazyRouteComponent(() => import('./trajectory/trajectory-page.tsx')),
})

const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  component: lazyRouteComponent(() => import('./first-run/first-run-page.tsx')),
})

const pluginPage = createRoute({
  getParentRoute: () => root,
  path: '$',
  component: lazyRouteComponent(() => import('./plugin-pages/plugin-page.tsx')),
})

/** The pages of the console by their addresses. Each page is loaded when it is first opened. */
export const router = createRouter({
  routeTree: root.addChildren([
    chat,
    agentChat,
    threadChat,
    account,
    agents,
    agent.addChildren(agentTabs),
    channels,
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
