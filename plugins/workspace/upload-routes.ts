import { realpath } from 'node:fs/promises'
import { objectOf, type UploadedFile } from '#kernel'
import type { StoredFile } from '../agents/types.ts'
import { type Cradle, route } from './manifest.ts'
import { storeUpload } from './uploads.ts'

const text = { type: 'string' } as const

/** The route by which users send files to an agent. */
export const uploadRoutes = [
  route({
    method: 'POST',
    path: '/agents/:id/upload',
    summary: "Send a file into the agent's workspace, to name it in a turn",
    guard: 'agent',
    upload: { max_bytes: 20 * 1024 * 1024 },
    response: {
      200: {
        title: 'Upload',
        ...objectOf(
          {
            path: { type: 'string', description: 'Relative to the workspace' },
            filename: text,
            media_type: text,
            size: { type: 'integer', minimum: 0, description: 'Bytes' },
          },
          ['path', 'filename', 'media_type', 'size'],
        ),
      },
    },
    errors: ['WORKSPACE_UNUSABLE', 'LIMIT_REACHED'],
    audit: 'agent.upload',
  }).handle(async ({ agent, caller, file }, services) => {
    const stored = await keep(agent._id, file, services)
    const { agents, guestUploads } = services
    if (!agents.isOwner(agent, caller))
      await guestUploads.record({ agent_id: agent._id, user_id: caller.id, path: stored.path })
    return stored
  }),
]

/** Puts what reached an agent by another way into its workspace. */
export const keepSentFile = (
  { agent_id, file }: { agent_id: string; file: UploadedFile },
  services: Services,
): Promise<StoredFile> => keep(agent_id, file, services)

type Services = Pick<Cradle, 'agents' | 'workspaceRoom'>

const keep = async (agent_id: string, file: UploadedFile, { agents, workspaceRoom }: Services) => {
  const workspace = await realpath(await agents.prepareWorkspace(agent_id))
  return storeUpload(workspace, file, workspaceRoom.growthOf(agent_id))
}
