import { LOCALES } from '#kernel'
import { route } from './manifest.ts'
import { listPluginPages } from './plugin-pages.ts'
import { consoleFacts } from './schemas.ts'

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
