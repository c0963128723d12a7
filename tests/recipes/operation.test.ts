import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import t from '../run/file-test.ts'
import { runCommand } from '../support/kernel.ts'
import { ROOT } from '../support/packed.ts'
import { readDocument, readRecipe } from '../support/readme.ts'
import { createHome, startServer } from '../support/server.ts'

const run = promisify(execFile)

t.test('the scrape configuration names the route of the metrics', (t) => {
  const { scrape_configs } = parse(readRecipe('prometheus.yml'))
  t.equal(scrape_configs[0].metrics_path, '/api/metrics')
  t.end()
})

t.test('the image is the released package, and has no root', (t) => {
  const dockerfile = readDocument('Dockerfile')
  t.match(dockerfile, /npm run release\n.*tar -xzf \/release\/.*COPY --from=package \/app \.\/\n/s)
  t.match(dockerfile, /^USER 1000:1000$/m)
  t.match(dockerfile, /^HEALTHCHECK .*\n.*\/api\/health\/ready/m)
  t.match(dockerfile, /^ENV SVC_SANDBOX=required$/m)
  t.match(dockerfile, /apt-get install .* bubblewrap /)
  const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base]) => base)
  t.strictSame(new Set(bases), new Set([`\${BASE}`]), 'the base can be fixed by its digest')
  const { version, license } = JSON.parse(readDocument('package.json'))
  t.match(dockerfile, `ARG VERSION=${version}\n`)
  t.match(dockerfile, `image.licenses="${license}"`)
  t.end()
})

const compose = parse(readDocument('compose.yaml'), { merge: true })

t.test('the compose file bounds every container', (t) => {
  const { services } = compose
  t.strictSame(Object.keys(services), ['server', 'database', 'proxy', 'backup'])
  for (const service of Object.values<Record<string, unknown>>(services))
    t.match(service, {
      mem_limit: /./,
      pids_limit: Number,
      restart: 'unless-stopped',
      logging: Object,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  t.match(services.server, { read_only: true })
  t.match(services.database.healthcheck, { start_interval: '5s', interval: '60s' })
  t.strictSame([services.proxy.profiles, services.backup.profiles], [['proxy'], ['backup']])
  t.end()
})

t.test('secrets of the compose file are files', async (t) => {
  const { services, secrets } = compose
  const used = Object.values<{ secrets?: string[] }>(services).flatMap(({ secrets = [] }) => secrets)
  t.strictSame(Object.keys(secrets).sort(), [...new Set(used)].sort())
  const variables = Object.values<{ environment?: object }>(services).flatMap(({ environment = {} }) =>
    Object.keys(environment),
  )
  for (const name of variables.filter((each) => /URL_|PASS|TOKEN|KEY/.test(each))) t.match(name, /_FILE$/)

  const folder = createHome(t)
  const make = () => run(join(ROOT, 'deploy/docker/secrets.sh'), [], { cwd: folder })
  await make()
  const read = () =>
    Object.values<{ file: string }>(secrets).map(({ file }) => readFileSync(join(folder, file), 'utf8'))
  const contents = read()
  t.match(contents, [
    /^mongodb:\/\/svc:[0-9a-f]{48}@database\/svc\n$/,
    /^[0-9a-f]{48}\n$/,
    /^[0-9a-f]{48}\n$/,
  ])
  t.equal(statSync(join(folder, 'secrets')).mode & 0o777, 0o700)
  await make()
  t.strictSame(read(), contents, 'what exists stays')
  for (const file of ['.gitignore', '.dockerignore']) t.match(readDocument(file), /^\/?secrets\/?$/m)
})

const KUBERNETES = 'deploy/kubernetes/'
const filesBelow = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))

t.test('every file for Kubernetes is part of the base or of a component', (t) => {
  const files = filesBelow(KUBERNETES)
  const isKustomization = (file: string) => file.endsWith('/kustomization.yaml')
  const listed = files.filter(isKustomization).flatMap((file) => {
    const { resources = [], components = [] } = parse(readDocument(file))
    return [...resources, ...components].map((path: string) => join(dirname(file), path))
  })
  for (const path of listed) t.ok(existsSync(join(ROOT, path)), path)
  t.strictSame(
    files.filter((file) => !isKustomization(file) && !listed.includes(file)),
    [],
  )
  const base = files.filter((file) => file.startsWith(`${KUBERNETES}base/`) && !isKustomization(file))
  t.strictSame(base.map((file) => parse(readDocument(file)).kind).sort(), [
    'Deployment',
    'Ingress',
    'NetworkPolicy',
    'PersistentVolumeClaim',
    'PodDisruptionBudget',
    'Service',
  ])
  t.end()
})

t.test('the pods have probes on routes that exist, no rights, and secrets as files', (t) => {
  const deployment = parse(readDocument(`${KUBERNETES}base/deployment.yaml`))
  const job = parse(readDocument(`${KUBERNETES}components/backup/cron-job.yaml`)).spec.jobTemplate
  for (const { spec } of [deployment.spec.template, job.spec.template]) {
    t.equal(spec.enableServiceLinks, false, 'the service sets no SVC_PORT')
    t.match(spec.containers[0].securityContext, {
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    })
    const { items } = spec.volumes.find(({ name }: { name: string }) => name === 'secrets').secret
    const { mountPath } = spec.containers[0].volumeMounts.find(
      ({ name }: { name: string }) => name === 'secrets',
    )
    const paths = items.map(({ path }: { path: string }) => `${mountPath}/${path}`)
    const variables: { name: string; value: string }[] = spec.containers[0].env
    const secrets = variables.filter(({ name }) => name.endsWith('_FILE'))
    t.strictSame(secrets.map(({ value }) => value).sort(), paths.sort())
  }
  t.match(deployment.spec.template.spec.containers[0], {
    readinessProbe: { httpGet: { path: '/api/health/ready' } },
    livenessProbe: { httpGet: { path: '/api/health/live' } },
  })
  t.end()
})

/** Returns the settings of a unit of systemd in order; a key may come several times. */
const readUnit = (name: string): [key: string, value: string][] =>
  readDocument(`deploy/systemd/${name}`)
    .split('\n')
    .flatMap((line) => {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
      return key ? [[key, value!] as [string, string]] : []
    })

t.test('the units back up and restore what is there, as the user of the server', async (t) => {
  const server = await startServer(t)
  const folder = createHome(t)
  const archives = join(folder, 'svc-backup')
  mkdirSync(archives)
  writeFileSync(join(folder, 'passphrase'), 'correct horse battery\n')
  for (const name of ['svc-backup', 'svc-restore-drill']) {
    const unit = readUnit(`${name}.service`)
    const valuesOf = (key: string) => unit.filter((each) => each[0] === key).map(([, value]) => value)
    const same = readUnit('svc.service').filter(([key]) => /^(User|Group|WorkingDirectory|Protect)/.test(key))
    for (const [key, value] of same) t.ok(valuesOf(key).includes(value), `${name}: ${key}=${value}`)
    const [, program = '', ...args] = valuesOf('ExecStart')[0]!.split(' ')
    t.equal(program, '/opt/svc/dist/kernel/cli/main.js')
    const filled = args.map((arg) => arg.replace('%S', folder).replace('%d', folder))
    const { code, stdout, stderr } = await runCommand(server.home, filled)
    t.equal(code, 0, stderr)
    t.match(stdout, name === 'svc-backup' ? /^Wrote / : /is authentic and complete/)
    t.ok(readUnit(`${name}.timer`).some(([key]) => key === 'OnCalendar'))
  }
  t.equal(readdirSync(archives).length, 1)
})

t.test('svc on the path is the server of the unit, as its user and with its settings', async (t) => {
  const script = readDocument('deploy/systemd/svc')
  const unit = readDocument('deploy/systemd/svc.service')
  const assigned = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(script)?.[1]
  t.match(unit, `\nExecStart=/usr/bin/node ${assigned('main')} serve\n`)
  t.match(unit, `\nUser=${assigned('user')}\n`)
  t.match(unit, `\nEnvironmentFile=-${assigned('settings')}\n`)
  await run('sh', ['-n', join(ROOT, 'deploy/systemd/svc')])
})
