import { parse, parseAllDocuments } from 'yaml'
import t from '../run/file-test.ts'
import { readDocument, readRecipe } from '../support/readme.ts'

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
  t.end()
})

t.test('the compose file bounds both containers and sets a password of the database', (t) => {
  const { services } = parse(readDocument('compose.yaml'), { merge: true })
  for (const service of Object.values<Record<string, unknown>>(services))
    t.match(service, { mem_limit: /./, pids_limit: Number, restart: 'unless-stopped', logging: Object })
  t.match(services.server, { read_only: true, cap_drop: ['ALL'] })
  t.match(services.server.environment.SVC_DATABASE_URL, /svc:\$\{MONGO_PASSWORD/)
  const own = [...readDocument('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!)
  t.strictSame(
    own.filter((name) => name.startsWith('SVC_')),
    [],
    'the server, which reads .env as well, warns of no variable',
  )
  t.match(services.database.environment, { MONGO_INITDB_ROOT_PASSWORD: /MONGO_PASSWORD/ })
  t.end()
})

t.test('the files for Kubernetes have probes on routes that exist, and a budget', (t) => {
  const documents = parseAllDocuments(readDocument('deploy/kubernetes/svc.yaml')).map((one) => one.toJS())
  t.strictSame(
    documents.map(({ kind }) => kind),
    ['PersistentVolumeClaim', 'Deployment', 'PodDisruptionBudget', 'Service'],
  )
  const [, deployment] = documents
  t.equal(deployment.spec.template.spec.enableServiceLinks, false, 'the service sets no SVC_PORT')
  const [container] = deployment.spec.template.spec.containers
  t.match(container, {
    readinessProbe: { httpGet: { path: '/api/health/ready' } },
    livenessProbe: { httpGet: { path: '/api/health/live' } },
    securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
  })
  t.end()
})
