import { realpath } from 'node:fs/promises'
import { objectOf, route } from '#kernel'
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
    errors: ['WORKSPACE_UNUSABLE'],
    audit: 'agent.upload',
  }).handle(async ({ agent, file }, { agents }) =>
    storeUpload(await realpath(await agents.prepareWorkspace(agent._id)), file),
  ),
]
