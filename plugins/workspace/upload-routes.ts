import { realpath } from 'node:fs/promises'
import { type Cradle, type Events, objectOf, route, type UploadedFile } from '#kernel'
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
  }).handle(({ agent, file }, { agents }) => keep(agents, agent._id, file)),
]

/** Puts what reached an agent by another way into its workspace. */
export async function keepSentFile(sent: Events['agent.file_sent'], { agents }: Pick<Cradle, 'agents'>) {
  sent.stored = await keep(agents, sent.agent_id, sent.file)
}

const keep = async (agents: Cradle['agents'], agent_id: string, file: UploadedFile) =>
  storeUpload(await realpath(await agents.prepareWorkspace(agent_id)), file)
