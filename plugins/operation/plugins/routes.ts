import { AppError, type Route, reply, replyWithTag } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import { nameParams, newPlugin, pluginChanges, pluginRow, removalBody, restartReply } from './schemas.ts'

/** The errors of the file. */
const FILE_ERRORS = ['CONFIG_UNREADABLE', 'CONFIG_NOT_WRITABLE', 'CONFIG_REFUSED'] as const
const INSTALL_ERRORS = [
  'INSTALL_OFF',
  'INSTALL_BUSY',
  'INSTALL_FAILED',
  'INSTALL_CODE_MISSING',
  'INSTALL_CODE_WRONG',
  'LOGIN_LOCKED',
  'SIGN_INS_LIMITED',
  'LOGIN_BUSY',
] as const

const listPlugins = route({
  method: 'GET',
  path: '/admin/plugins',
  operation_id: 'listAdminPlugins',
  summary: 'List plugins',
  description:
    'Lists every plugin of this server with its state, what it brings, and its settings for the next start. Each server process has its own configuration file.',
  guard: 'admin',
  response: { 200: { type: 'array', items: pluginRow } },
}).handle(async (_request, { pluginSettings }) => pluginSettings.list())

const getPlugin = route({
  method: 'GET',
  path: '/admin/plugins/:name',
  operation_id: 'getAdminPlugin',
  summary: 'Get a plugin',
  description: 'Returns a plugin with its state, what it brings, and its settings for the next start.',
  guard: 'admin',
  params: nameParams,
  response: { 200: pluginRow },
  errors: ['NOT_FOUND', 'CONFIG_UNREADABLE'],
  etag: true,
}).handle(async ({ params: { name } }, { pluginSettings }) =>
  replyWithTag(200, pluginSettings.get(name), pluginSettings.tagOf(name)),
)

const changePlugin = route({
  method: 'PATCH',
  path: '/admin/plugins/:name',
  operation_id: 'changeAdminPlugin',
  summary: 'Change the settings of a plugin',
  description:
    'Writes settings to `config.json` of this server, after it has tried that the server starts with them. They take effect with the next start.',
  guard: 'admin',
  params: nameParams,
  body: pluginChanges,
  response: { 200: pluginRow },
  errors: [
    'NOT_FOUND',
    'PLUGIN_NOT_LOADED',
    'PLUGIN_KEPT_ON',
    'PLUGIN_NEEDED',
    'SETTING_FIXED',
    ...FILE_ERRORS,
  ],
  audit: { action: 'plugin.update', target: 'name' },
  etag: true,
}).handle(async (request, { pluginSettings }) => {
  const { name } = request.params
  const row = await pluginSettings.change(name, request.body, request)
  return replyWithTag(200, row, pluginSettings.tagOf(name))
})

const installPlugin = route({
  method: 'POST',
  path: '/admin/plugins',
  operation_id: 'installPlugin',
  summary: 'Install a plugin',
  description:
    'Installs a package of npm without running its scripts, tries that the server loads it, and adds it to `config.json`. It runs after a restart. Only if `plugins.plugins.install` is true.',
  guard: 'admin',
  scope: 'session',
  body: newPlugin,
  response: { 201: pluginRow },
  errors: [...INSTALL_ERRORS, ...FILE_ERRORS],
  audit: { action: 'plugin.install', target: 'name' },
}).handle(async ({ body, caller, ip, signal }, { pluginInstalls }) =>
  reply(201, await pluginInstalls.add(body.package, { caller, ip, code: body.code, signal })),
)

const removePlugin = route({
  method: 'DELETE',
  path: '/admin/plugins/:name',
  operation_id: 'removePlugin',
  summary: 'Remove a plugin',
  description:
    'Uninstalls a package, or removes a folder of the home, and its settings; its data stays in the database. It runs until the next start. Only if `plugins.plugins.install` is true.',
  guard: 'admin',
  scope: 'session',
  params: nameParams,
  body: removalBody,
  response: { 204: null },
  errors: ['NOT_FOUND', 'PLUGIN_BUILT_IN', 'PLUGIN_NEEDED', ...INSTALL_ERRORS, ...FILE_ERRORS],
  audit: { action: 'plugin.remove', target: 'name' },
}).handle(async ({ params: { name }, body, caller, ip, signal }, { pluginInstalls }) => {
  await pluginInstalls.remove(name, { caller, ip, code: body.code, signal })
})

const restart = route({
  method: 'POST',
  path: '/admin/restart',
  operation_id: 'restartServer',
  summary: 'Restart the server',
  description:
    'Drains this server process as SIGTERM does and starts it again at the same address, after it has tried that it would start. Under a supervisor the process exits with 75 and the supervisor starts it.',
  guard: 'admin',
  response: { 202: restartReply },
  errors: ['RESTART_REFUSED', 'RESTART_UNSUPPORTED'],
  audit: 'server.restart',
}).handle(async ({ signal }, { pluginSettings, server, log }) => {
  await pluginSettings.assertStartable(signal)
  // The reply is sent while the server drains.
  if (!server.restart()) throw new AppError('RESTART_UNSUPPORTED')
  log.info('an administrator restarts the server')
  return reply(202, { started_at: server.started_at, node_id: server.node_id })
})

/** The routes of this plugin. */
export const adminRoutes: Route<Cradle>[] = [
  listPlugins,
  getPlugin,
  changePlugin,
  installPlugin,
  removePlugin,
  restart,
]
