import { LOCALES, localeName, localizedText, nullable, rowOf } from '#plugin-api'
import { CONSOLE_SLOTS } from '#plugin-api/console'
import { route } from './manifest.ts'
import { listSlots } from './slots.ts'

const text = { type: 'string' } as const

/** Something that a plugin adds to a place of the console. */
const consoleSlot = {
  title: 'ConsoleSlot',
  ...rowOf({
    slot: { enum: CONSOLE_SLOTS, description: 'The place', examples: ['message.actions'] },
    plugin: { ...text, description: 'The plugin that adds it', examples: ['notes'] },
    module: {
      ...text,
      description: 'The address of an ES module',
      examples: ['/console-slots/notes/console/note.js'],
    },
    label: { ...nullable(localizedText), description: 'Its name for people; null for that of the plugin' },
    icon: {
      ...nullable(text),
      description: 'The data of an SVG path of 24 by 24 units, drawn as a line; null for none',
      examples: ['M12 5v14M5 12h14'],
    },
    when: rowOf({
      permission: {
        ...nullable(text),
        description: 'The permission without which it is not shown; null if it needs none',
        examples: [null],
      },
      role: {
        ...nullable({ enum: ['assistant', 'user'] } as const),
        description: 'The role of the messages that it is shown at; null for both',
        examples: ['assistant'],
      },
    }),
    path: {
      ...nullable(text),
      description: 'The address of a page; null in other places',
      examples: [null],
    },
  }),
} as const

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
    currency: {
      ...nullable(text),
      description: 'The currency of costs, prices and budgets; null if nothing counts them',
      examples: ['USD'],
    },
    languages: { type: 'array', items: localeName, examples: [[...LOCALES]] },
    permissions: {
      type: 'array',
      items: text,
      description: 'The keys of all permissions; `GET /auth/me` has those of the account',
      examples: [['channels', 'users']],
    },
    slots: {
      type: 'array',
      items: consoleSlot,
      description: 'What plugins add to places of the console, in the order in which they start',
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
      'Tells which plugins run, how people can sign in and what plugins add to the page, so that it shows nothing that is off. It is public; what an account may do is in `GET /auth/me`.',
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
      currency: extensions['console.currency'].list()[0]?.({}) ?? null,
      languages: [...LOCALES],
      permissions: permissionCatalog.names().sort(),
      slots: await listSlots(cradle),
    }
  }),
]
