import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Frame } from './frame/frame.tsx'
import { NotFound } from './frame/not-found.tsx'
import { PageFailure } from './frame/page-failure.tsx'

const root = createRootRoute({ component: Frame })

const chatPage = lazyRouteComponent(() => import('./chat/chat-page.tsx'))

const chat = createRoute({ getParentRoute: () => root, path: '/', component: chatPage })

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

/** The pages of the console by their addresses. Each page is loaded when it is first opened. */
export const router = createRouter({
  routeTree: root.addChildren([
    chat,
    agentChat,
    threadChat,
    account,
    models,
    people,
    invites,
    skills,
    skillPackage,
    audit,
    overview,
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
