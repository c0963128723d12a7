import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTS, { type OpenAPI3 } from 'openapi-typescript'
import type { FrameSchemas } from '../../kernel/contract/socket.ts'
import { readBlueprint } from '../../kernel/loading/blueprint.ts'
import { receivedFrames, sentFrames } from '../../plugins/conversations/chat/frames.ts'
import { describeApi } from '../../plugins/operation/api-docs/documents/openapi.ts'

const CLIENT_TYPES = new URL('../../../client/api.ts', import.meta.url)

/** Describes the frames of one direction as an object that has each frame by its type. */
const describeFrames = (frames: FrameSchemas) => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(frames).map(([type, { properties, required = [], oneOf: _, ...frame }]) => [
      type,
      {
        ...frame,
        properties: { type: { const: type }, ...(properties as object) },
        required: ['type', ...(required as string[])],
      },
    ]),
  ),
  required: Object.keys(frames),
})

/** Returns the types of the client, which are generated from the document of a server with all its plugins. */
export async function generateClientTypes(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'svc-client-types-'))
  try {
    const blueprint = await readBlueprint({ home, env: {} })
    const document = describeApi(blueprint)
    const { schemas } = document.components as { schemas: Record<string, unknown> }
    Object.assign(schemas, {
      ReceivedFrames: describeFrames(receivedFrames),
      SentFrames: describeFrames(sentFrames),
    })
    return await openapiTS(document as unknown as OpenAPI3)
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** Returns the types as they are in the repository. */
export const readClientTypes = (): string => readFileSync(CLIENT_TYPES, 'utf8')

// `npm run client-types`
if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(CLIENT_TYPES, await generateClientTypes())
