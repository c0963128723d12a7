// Joins the modules of each built-in plugin and kind, because opening 700 files is a third of what a command costs.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import esbuild from 'esbuild'

/** Replaces the compiled `index.js` of all plugins and kinds; their other modules stay, for workers and tests. */
export async function bundle() {
  const folders = ['plugins', 'channels', 'providers'].flatMap((room) =>
    readdirSync(room).map((name) => join(room, name)),
  )
  await Promise.all(folders.filter((folder) => existsSync(join(folder, 'index.ts'))).map(bundleFolder))
}

const bundleFolder = (folder) =>
  esbuild.build({
    entryPoints: [join(folder, 'index.ts')],
    outdir: join('dist', folder),
    bundle: true,
    // What is imported later shares its state with what was imported first.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    plugins: [{ name: 'borders', setup: (build) => keepBorders(build, resolve(folder)) }],
  })

/** Leaves out what is outside of the folder, and lets modules find other files by their own place. */
function keepBorders(build, folder) {
  build.onResolve({ filter: /^#/ }, ({ path }) => ({ path, external: true }))
  build.onResolve({ filter: /^\.\.\// }, ({ path, importer }) => {
    const file = resolve(dirname(importer), path)
    if (!file.startsWith(`${folder}/`))
      return { path: relative(folder, file).replace(/\.ts$/, '.js'), external: true }
  })
  build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const place = `new URL('./${relative(folder, path)}', import.meta.url).href`
    return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place), loader: 'ts' }
  })
}
