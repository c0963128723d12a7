// Owns what agents remember about people. Other plugins tell where several people listen.
import { definePlugin } from '#plugin-api'
import { hasMemory } from './listeners.ts'
import { manifest } from './manifest.ts'
import { createMemories, type Memories, memoryIndexes } from './memories.ts'
import { createPromptParts, type PromptParts } from './prompt-parts.ts'
import { createProposals, type Proposals } from './proposals.ts'
import { memoryRoutes } from './routes.ts'
import { createMemoryTools, hasMemoryTool } from './tools.ts'
import './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    memory: {
      memories: Memories
      promptParts: PromptParts
      proposals: Proposals
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('memories', { indexes: memoryIndexes })
    host.collection('memory_reviews')
    host.extensionPoint('memory.listeners', { noun: 'listeners of threads' })
    host.service('memories', createMemories)
    host.service('promptParts', createPromptParts)
    host.service('proposals', createProposals)
    host.limit('memories', ({ memories }, user_id) => memories.count(user_id))
    host.routes(memoryRoutes)
    for (const tool of createMemoryTools(() => host.cradle)) host.extend('agents.tools', tool)
    host.extend('agents.instructions', async ({ agent, turn }, { extensions, promptParts }) => {
      if (!hasMemoryTool(turn.tools) || !(await hasMemory(turn, { extensions }))) return undefined
      return promptParts.of(turn.user_id, agent._id)
    })
    host.extend('agents.removal', ({ agent_id }, { memories }) => memories.removeOfAgent(agent_id))
    host.extend('users.removal', async ({ user_id }, { memories, proposals }) => {
      await proposals.forget(user_id)
      await memories.deleteAll(user_id)
    })
    host.extend('backup.restored', (_, { promptParts }) => promptParts.dropAll())
    host.on('memory.changed', ({ user_id }, { promptParts }) => promptParts.noteChange(user_id))
    host.on('turn.ended', ({ user_id, agent_id, thread_id, turn_id }, { proposals }) =>
      proposals.note(user_id, { thread_id, agent_id, turn_id }),
    )
    host.job({
      name: 'memory.proposals',
      every_seconds: 300,
      run: ({ proposals }, signal) => proposals.run(signal),
    })
  },
  start: ({ promptParts }) => promptParts.start(),
})
