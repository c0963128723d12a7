/**
 * The built-in plugins, by name: naming their modules brings their services, collections, events, guards and extension
 * points into the interfaces of this API.
 */
export interface BuiltInPlugins {
  accounts: typeof import('../plugins/accounts/index.ts')
  acp: typeof import('../plugins/acp/index.ts')
  agents: typeof import('../plugins/agents/index.ts')
  'api-keys': typeof import('../plugins/api-keys/index.ts')
  audit: typeof import('../plugins/audit/index.ts')
  auth: typeof import('../plugins/auth/index.ts')
  channels: typeof import('../plugins/channels/index.ts')
  chat: typeof import('../plugins/chat/index.ts')
  experts: typeof import('../plugins/experts/index.ts')
  invites: typeof import('../plugins/invites/index.ts')
  migration: typeof import('../plugins/migration/index.ts')
  overview: typeof import('../plugins/overview/index.ts')
  personas: typeof import('../plugins/personas/index.ts')
  planning: typeof import('../plugins/planning/index.ts')
  polish: typeof import('../plugins/polish/index.ts')
  providers: typeof import('../plugins/providers/index.ts')
  scaffold: typeof import('../plugins/scaffold/index.ts')
  secrets: typeof import('../plugins/secrets/index.ts')
  shell: typeof import('../plugins/shell/index.ts')
  skills: typeof import('../plugins/skills/index.ts')
  sso: typeof import('../plugins/sso/index.ts')
  terminal: typeof import('../plugins/terminal/index.ts')
  trajectory: typeof import('../plugins/trajectory/index.ts')
  usage: typeof import('../plugins/usage/index.ts')
  users: typeof import('../plugins/users/index.ts')
  web: typeof import('../plugins/web/index.ts')
  welcome: typeof import('../plugins/welcome/index.ts')
  workspace: typeof import('../plugins/workspace/index.ts')
}
