// Owns what agents remember about people. Other plugins tell where several people listen.
import { definePlugin } from '#plugin-api'
import { hasMemory } from './listeners.ts'
import { manifest } from './manifest.ts'
import { createMemories, type Memories, memoryIndexes } from './memories.ts'
import { describeMemories } from './prompt.ts'
import { memoryRoutes } from './routes.ts'
import { createMemoryTools, hasMemoryTool } from './tools.ts'
import './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    memory: {
      memories: Memories
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('memories', { indexes: memoryIndexes })
    host.extensionPoint('memory.listeners', { noun: 'listeners of threads' })
    host.service('memories', createMemories)
    host.limit('memories', ({ memories }, user_id) => memories.count(user_id))
    host.routes(memoryRoutes)
    for (const tool of createMemoryTools(() => host.cradle)) host.extend('agents.tools', tool)
    host.extend('agents.instructions', async ({ agent, turn }, { extensions, memories }) => {
      if (!hasMemoryTool(turn.tools) || !(await hasMemory(turn, { extensions }))) return undefined
      return describeMemories(await memories.listNewest(turn.user_id, agent._id))
    })
    host.extend('agents.removal', ({ agent_id }, { memories }) => memories.removeOfAgent(agent_id))
    host.extend('users.removal', ({ user_id }, { memories }) => memories.deleteAll(user_id))
  },
})
