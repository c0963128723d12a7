import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from '../run/file-test.ts'

/** Writes the folder of a package, with `source` as its only module, and returns its path. */
export function writePackage(
  parent: string,
  {
    name,
    version = '1.0.0',
    source,
    more = {},
  }: { name: string; version?: string; source: string; more?: object },
): string {
  const folder = join(parent, name.replaceAll('/', '-'))
  mkdirSync(folder, { recursive: true })
  const manifest = { name, version, type: 'module', exports: './index.js', ...more }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'index.js'), source)
  return folder
}

/** Packs a folder as `npm pack` does, and returns the path of the tarball. */
export function packFolder(folder: string): string {
  const target = `${folder}.tgz`
  execFileSync('tar', ['-czf', target, '--transform', 's,^\\.,package,', '-C', folder, '.'])
  return target
}

/** Starts a registry of npm that has only these tarballs, and returns the environment in which npm uses it. */
export async function startRegistry(
  t: Test,
  tarballs: readonly string[],
): Promise<{ env: Record<string, string>; url: string }> {
  const packages = tarballs.map((tarball) => {
    const manifest = JSON.parse(readFileSync(join(tarball.replace(/\.tgz$/, ''), 'package.json'), 'utf8'))
    return { manifest, bytes: readFileSync(tarball) }
  })
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!)
    const tarball = packages.find(({ manifest: { name, version } }) => path === `/${name}-${version}.tgz`)
    if (tarball) return response.end(tarball.bytes)
    const versions = packages.filter(({ manifest: { name } }) => path === `/${name}`)
    if (versions.length === 0) return response.writeHead(404).end('{}')
    response.setHeader('content-type', 'application/json')
    const list = versions.map(({ manifest, bytes }) => {
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
      const { name, version } = manifest
      const address = `${url()}/${encodeURIComponent(name)}-${version}.tgz`
      return [version, { ...manifest, dist: { tarball: address, integrity } }]
    })
    const latest = versions.at(-1)!.manifest.version
    const { name } = versions[0]!.manifest
    return response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(list) }))
  })
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cache = mkdtempSync(join(process.env.TMPDIR ?? '/tmp', 'npm-'))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
    rmSync(cache, { recursive: true, force: true })
  })
  return { url: url(), env: { npm_config_registry: url(), npm_config_cache: cache } }
}
