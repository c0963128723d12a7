import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(js|css|svg|json|html|map)$/
/** A compressed file of a smaller one saves nothing. */
const MIN_BYTES = 512

/** Writes a `.br` file beside each file that is worth it, so that the server need not compress. */
export const compress = (): Plugin => ({
  name: 'compress',
  apply: 'build',
  writeBundle({ dir }) {
    for (const name of readdirSync(dir!, { recursive: true, encoding: 'utf8' })) {
      if (!COMPRESSIBLE.test(name)) continue
      const content = readFileSync(join(dir!, name))
      if (content.length < MIN_BYTES) continue
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
      writeFileSync(join(dir!, `${name}.br`), brotliCompressSync(content, { params }))
    }
  },
})
