import { definePlugin } from '#kernel'
import type { Expert, Tool } from '#plugin-api'
import { type Agents, createAgents } from './agents.ts'
import { createDefaultAssistant } from './default-assistant.ts'
import { assertExpert } from './expert-form.ts'
import { agentGuard, ownerGuard, permittedOwnerGuard } from './guards.ts'
import { refuseReferenced } from './provider-references.ts'
import { agentRoutes } from './routes.ts'
import { assertTool } from './tool-form.ts'
import { toolRoutes } from './tool-routes.ts'
import './types.ts'
import { manifest } from './manifest.ts'

declare module '#kernel/types' {
  interface Services {
    agents: {
      agents: Agents
    }
  }
  interface ExtensionPoints {
    /** Those of built-in plugins are on until an owner switches them off, all others off until switched on. */
    'agents.tools': Tool
    'agents.experts': Expert
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('agents', {
      indexes: [
        { key: { owner_id: 1, name: 1 }, unique: true },
        { key: { owner_id: 1, _id: 1 } },
        { key: { is_shared: 1, _id: 1 } },
        { key: { default_model: 1 } },
        { key: { 'operation.until': 1 }, partialFilterExpression: { 'operation.until': { $exists: true } } },
      ],
    })
    host.extensionPoint('agents.tools', { noun: 'tool', nameOf: ({ name }) => name, check: assertTool })
    host.extensionPoint('agents.experts', { noun: 'expert', nameOf: ({ id }) => id, check: assertExpert })
    host.provide('agents', createAgents)
    host.limit('agents', ({ collections }, owner_id) => collections.agents.countDocuments({ owner_id }))
    host.guard('agent', agentGuard)
    host.guard('owner', ownerGuard)
    host.guard('permitted_owner', permittedOwnerGuard)
    host.routes([...agentRoutes, ...toolRoutes])
    host.on('user.created', createDefaultAssistant)
    host.on('user.deleted', ({ user_id }, { agents }) => agents.removeAllOf(user_id))
    host.on('provider.deleting', refuseReferenced)
    host.on('overview.read', async ({ overview }, { agents }) => {
      overview.agents = await agents.countByState()
    })
    host.on('server.starting', (_, { agents }) => agents.restore())
    host.job({
      name: 'agents-recovery',
      every_seconds: 5,
      run: ({ agents }, signal) => agents.recover(signal),
    })
  },
  stop: ({ agents }) => agents.stopRestoring(),
})
