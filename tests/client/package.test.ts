import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from '../run/file-test.ts'
import { generateClientTypes, readClientTypes } from '../support/client-types.ts'
import { ROOT } from '../support/packed.ts'

const MAX_BYTES = 12_000

t.test('the types of the client are those of the document', async (t) => {
  t.ok(
    (await generateClientTypes()) === readClientTypes(),
    'run `npm run client-types` and commit client/api.ts',
  )
})

t.test('the client for browsers is small, and has no other dependency than openapi-fetch', async (t) => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: "export * from 'agent-platform-service/client'",
      resolveDir: ROOT,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  })
  const size = gzipSync(outputFiles[0]!.contents).length
  t.ok(size > 1000 && size <= MAX_BYTES, `${size} bytes`)
  const packages = Object.keys(metafile.inputs).flatMap(
    (file) => /node_modules\/([^/]+)/.exec(file)?.[1] ?? [],
  )
  t.strictSame([...new Set(packages)], ['openapi-fetch'])
})
