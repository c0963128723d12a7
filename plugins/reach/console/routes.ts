import { LOCALES, localeName, localizedText, nullable, rowOf } from '#plugin-api'
import { route } from './manifest.ts'
import { listPluginPages } from './plugin-pages.ts'

const text = { type: 'string' } as const

/** The facts that the console reads before anybody has signed in. */
const consoleFacts = {
  title: 'ConsoleFacts',
  ...rowOf({
    name: { ...text, description: 'The name that the page shows', examples: ['svc'] },
    notice: {
      ...nullable(text),
      description: 'A line of the operator below the name; null if none is configured',
      examples: ['For employees of Example Inc.'],
    },
    version: { ...text, examples: ['0.1.0'] },
    public_url: {
      ...nullable(text),
      description: 'The address at which people reach the server; null if none is configured',
      examples: ['https://agents.example.com'],
    },
    features: {
      type: 'object',
      additionalProperties: { const: true },
      description: 'The plugins that run, by name; one that is missing is off',
      examples: [{ chat: true, channels: true, usage: true }],
    },
    sign_in: rowOf({
      password: { type: 'boolean', description: 'True if people can sign in with a password' },
      providers: {
        type: 'array',
        items: {
          title: 'ConsoleSignIn',
          ...rowOf({
            kind: {
              ...text,
              description: '`passkey`, or a kind for `POST /auth/oauth/start`',
              examples: ['oidc'],
            },
            display_name: { ...text, examples: ['Company account'] },
          }),
        },
        description: 'The services that people can sign in with now',
      },
    }),
    languages: { type: 'array', items: localeName, examples: [[...LOCALES]] },
    permissions: {
      type: 'array',
      items: text,
      description: 'The keys of all permissions; `GET /auth/me` has those of the account',
      examples: [['channels', 'users']],
    },
    pages: {
      type: 'array',
      items: {
        title: 'ConsolePage',
        ...rowOf({
          path: { ...text, description: 'Its address', examples: ['/notes'] },
          title: localizedText,
          permission: {
            ...nullable(text),
            description: 'The permission without which the page is not offered; null if it needs none',
            examples: [null],
          },
          module: {
            ...text,
            description: 'The address of an ES module',
            examples: ['/console-pages/notes/page.js'],
          },
        }),
      },
      description: 'The pages that plugins add',
    },
  }),
} as const

/** The routes of the plugin. */
export const consoleRoutes = [
  route({
    method: 'GET',
    path: '/console',
    operation_id: 'getConsoleFacts',
    summary: 'Get what the console needs at its start',
    description:
      'Tells which plugins run, how people can sign in and which pages plugins add, so that a page shows nothing that is off. It is public; what an account may do is in `GET /auth/me`.',
    guard: 'public',
    response: { 200: consoleFacts },
  }).handle(async ({ locale }, cradle) => {
    const { config, server, extensions, permissionCatalog } = cradle
    const running = server.plugins().filter(({ state }) => state === 'running')
    return {
      name: config.name,
      notice: config.notice ?? null,
      version: server.version,
      public_url: server.public_url ?? null,
      features: Object.fromEntries(running.map(({ name }) => [name, true as const])),
      sign_in: { password: true, providers: (await extensions['console.sign_in'].ask({ locale })).flat() },
      languages: [...LOCALES],
      permissions: permissionCatalog.names().sort(),
      pages: listPluginPages(cradle),
    }
  }),
]
