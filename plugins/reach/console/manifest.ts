import {
  type Cradle as CradleOf,
  type DefineRoute,
  defineManifest,
  defineRoute,
  type ErrorTable,
} from '#plugin-api'

/** The errors of the console. */
const consoleErrors = {
  CONSOLE_NOT_BUILT: {
    status: 503,
    level: 'warn',
    message: {
      en: 'The console is not built. Run "npm run build" in the server’s folder.',
      zh: '控制台尚未构建。请在服务器目录中运行“npm run build”。',
    },
  },
} satisfies ErrorTable

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'console',
  summary: 'The web page for people',
  tag: {
    name: 'Console',
    order: 100,
    description: 'What the web page of this server reads before anybody has signed in.',
  },
  depends: ['auth'],
  config: {
    name: { type: 'string', minLength: 1, maxLength: 60, default: 'svc' },
    notice: { type: 'string', minLength: 1, maxLength: 300 },
    folder: { type: 'string', minLength: 1, operator: true },
  },
  errors: consoleErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    console: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
