import { join } from 'node:path'
import {
  createDeclarable,
  createShareable,
  definePlugin,
  describeLeftFolders,
  grantRoutes,
  listNames,
  managedIndex,
  sharingIndexes,
} from '#plugin-api'
import { type Agents, createAgents } from './agents.ts'
import { assertExpert, assertTool, createDefaultAssistant } from './forms.ts'

import { agentGuard, editorGuard, ownerGuard, permittedOwnerGuard } from './guards.ts'
import { manifest } from './manifest.ts'
import { agentRoutes, toolRoutes } from './routes.ts'
import type { AgentDocument } from './types.ts'

declare module '#kernel/types' {
  interface Services {
    agents: {
      agents: Agents
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('agents', {
      indexes: [
        { key: { owner_id: 1, name: 1 }, unique: true },
        { key: { owner_id: 1, _id: 1 } },
        managedIndex,
        ...sharingIndexes,
        { key: { default_model: 1 } },
        { key: { 'operation.until': 1 }, partialFilterExpression: { 'operation.until': { $exists: true } } },
      ],
    })
    host.extensionPoint('agents.tools', { noun: 'tool', nameOf: ({ name }) => name, check: assertTool })
    host.extensionPoint('agents.lent_tools', { noun: 'lent tools' })
    host.extensionPoint('agents.experts', { noun: 'expert', nameOf: ({ id }) => id, check: assertExpert })
    host.extensionPoint('agents.instructions', { noun: 'instructions' })
    host.extensionPoint('agents.unread_counts', { noun: 'unread counts' })
    host.extensionPoint('agents.read_marks', { noun: 'read mark' })
    host.extensionPoint('agents.activity', { noun: 'activity' })
    host.extensionPoint('agents.file_contents', { noun: 'file contents' })
    host.extensionPoint('agents.documents', { noun: 'reader of documents' })
    host.extensionPoint('agents.named_files', { noun: 'named files' })
    host.extensionPoint('agents.written_files', { noun: 'written files' })
    host.extensionPoint('agents.received_files', { noun: 'receiver of files' })
    host.extensionPoint('agents.stopping', { noun: 'end of what runs' })
    host.extensionPoint('agents.knowledge_checks', { noun: 'check of knowledge bases' })
    host.extensionPoint('agents.knowledge_defaults', { noun: 'default knowledge bases' })
    host.extensionPoint('agents.removal', { noun: 'removal' })
    host.provide('agents', createAgents)
    host.limit('agents', ({ collections }, owner_id) => collections.agents.countDocuments({ owner_id }))
    host.guard('agent', agentGuard)
    host.guard('owner', ownerGuard)
    host.guard('editor', editorGuard)
    host.guard('permitted_owner', permittedOwnerGuard)
    host.routes([...agentRoutes, ...toolRoutes])
    host.routes(
      grantRoutes({
        kind: 'agent',
        path: '/agents/:id',
        title: 'Agent',
        noun: 'an agent',
        missing: 'AGENT_NOT_FOUND',
      }),
    )
    host.extend('users.creation', createDefaultAssistant)
    host.extend('users.removal', ({ user_id }, { agents }) => agents.removeAllOf(user_id))
    host.extend('providers.references', (provider, { agents }) => agents.listProviderReferences(provider))
    host.extend('audit.names', ({ ids }, { collections }) =>
      listNames(collections.agents, ids, { kind: 'agent', field: 'name' }),
    )
    host.extend('overview.counts', async (_, { agents }) => ({ agents: await agents.countByState() }))
    host.extend(
      'groups.shareables',
      createShareable<AgentDocument>({
        name: 'agent',
        label: { en: 'Agent', zh: '智能体' },
        access: ['use', 'edit'],
        is_open: false,
        collection: () => host.cradle.collections.agents,
        owner: 'owner_id',
        nameOf: ({ name }) => name,
        find: (caller, key) => host.cradle.agents.findVisible(caller, key),
        changed: (former, current) => host.cradle.agents.noteChange(former, current),
      }),
    )
    host.extend(
      'declared.kinds',
      createDeclarable({
        name: 'agent',
        collection: () => host.cradle.collections.agents,
        filterOf: (key, caller) => ({ $or: [{ _id: key }, { owner_id: caller?.id, name: key }] }),
      }),
    )
    host.on('agent.unshared', ({ agent_id }, { signals }) => signals.publish('agent.unshared', { agent_id }))
    host.job({
      name: 'agents-recovery',
      every_seconds: 15,
      run: ({ agents }, signal) => agents.recover(signal),
    })
    host.job({
      name: 'agents-removed-folders',
      every_seconds: 600,
      run: ({ agents }, signal) => agents.removeLeftFolders(signal),
    })
    host.check('removed workspaces', ({ server }) => describeLeftFolders(join(server.home, 'agents')))
  },
  start({ agents, signals }) {
    signals.on('agent.unshared', ({ agent_id }) => agents.recheckConnections(agent_id))
    signals.onMissed(() => agents.recheckConnections())
  },
  ready: ({ agents }) => agents.restore(),
  stop: ({ agents }) => agents.stopRestoring(),
})
