import { Button } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { Link2 } from '../ui/icons.ts'
import listClasses from '../ui/list.module.css'
import { ListRow } from '../ui/list-row.tsx'
import { Section } from '../ui/section.tsx'
import { Time } from '../ui/time.tsx'
import { useAction } from '../ui/use-action.ts'

type Kind = components['schemas']['SignInKind']

interface Service {
  kind: Kind
  display_name: string
  linked_at?: number
}

/** The services that the account can sign in with. Nothing is shown if the server has none. */
export function Identities() {
  const methods = api.useQuery('get', '/auth/oauth/status')
  const bindings = api.useQuery('get', '/auth/oauth/bindings')
  const { isBusy, error, run } = useAction()
  const [unlinking, setUnlinking] = useState<Service>()
  const services = merge(methods.data?.providers ?? [], bindings.data ?? [])
  if (services.length === 0) return null

  const link = ({ kind }: Service) =>
    run(async () => {
      const body = { kind, redirect_after: '/account' }
      location.assign((await send(client.POST('/auth/oauth/bind/start', { body }))).authorization_url)
    })
  const unlink = async ({ kind }: Service) => {
    await send(client.POST('/auth/oauth/unbind', { body: { kind } }))
    await refresh('/auth/oauth/bindings')
  }
  return (
    <Section title={t('account.identities')} about={t('account.identities_about')}>
      <ul className={listClasses.rows} aria-label={t('account.identities')}>
        {services.map((service) => (
          <ListRow
            key={service.kind}
            icon={<Link2 size={16} aria-hidden />}
            title={service.display_name}
            meta={
              service.linked_at === undefined ? t('account.not_linked') : <Since at={service.linked_at} />
            }
          >
            {service.linked_at === undefined ? (
              <Button size="xs" variant="default" loading={isBusy} onClick={() => link(service)}>
                {t('account.link')}
              </Button>
            ) : (
              <Button size="xs" variant="default" onClick={() => setUnlinking(service)}>
                {t('account.unlink')}
              </Button>
            )}
          </ListRow>
        ))}
      </ul>
      {error !== undefined && <Failure error={error} />}
      {unlinking && (
        <Confirm
          title={t('account.unlink_title', { name: unlinking.display_name })}
          action={t('account.unlink')}
          onConfirm={() => unlink(unlinking)}
          onClose={() => setUnlinking(undefined)}
        >
          {t('account.unlink_about')}
        </Confirm>
      )}
    </Section>
  )
}

const Since = ({ at }: { at: number }) => (
  <>
    {t('account.linked')} <Time at={at} />
  </>
)

/** The enabled services and those that are linked, also if they were switched off since. */
function merge(
  methods: components['schemas']['SignInMethod'][],
  bindings: components['schemas']['SignInBinding'][],
): Service[] {
  return methods.flatMap(({ kind, display_name, enabled }) => {
    const binding = bindings.find((binding) => binding.kind === kind)
    if (!enabled && !binding) return []
    return [{ kind, display_name, ...(binding && { linked_at: binding.linked_at }) }]
  })
}
