import { Button, Group } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { components } from '#client'
import { withPageWords } from '../../i18n/load.ts'
import { t } from '../../i18n/words.ts'
import { client } from '../../server/client.ts'
import { send } from '../../server/send.ts'
import { Failure } from '../../ui/failure.tsx'
import { Secret } from '../../ui/secret.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import type { PendingApproval } from '../store/thread-view.ts'
import classes from './approval-card.module.css'
import { Expiry } from './expiry.tsx'

const SignIn = lazy(withPageWords(() => import('../../connectors/sign-in.tsx')))

type Need = components['schemas']['AuthorizationRequired']

interface Props {
  store: ThreadStore
  pending: PendingApproval
  needs: Need[]
}

/** A turn that waits for credentials of the person. It continues by itself once they exist. */
export function Authorization({ store, pending, needs }: Props) {
  const { isBusy, error, run } = useAction()
  const distinct = [...new Map(needs.map((need) => [need.connector_id, need])).values()]
  const skip = () =>
    run(() =>
      store.decide(
        pending.pending_id,
        needs.map(() => ({ type: 'reject' as const })),
      ),
    )
  return (
    <section className={classes.card} aria-label={t('approvals.sign_in_title')}>
      <header className={classes.head}>
        <span>{t('approvals.sign_in_title')}</span>
        <Expiry at={pending.expires_at} about={t('approvals.expires_about')} />
      </header>
      {distinct.map((need) => (
        <AuthorizationNeed key={need.connector_id} need={need} />
      ))}
      {error !== undefined && <Failure error={error} />}
      <Button size="xs" variant="subtle" color="gray" loading={isBusy} onClick={skip}>
        {t('approvals.without_sign_in')}
      </Button>
    </section>
  )
}

/** The way to sign in to a connector, or to enter the headers that it needs. */
export function AuthorizationNeed({ need }: { need: Need }) {
  const { connector_id: id, name, origin, fields = [] } = need
  const host = origin && new URL(origin).host
  const [isAsking, setAsking] = useState(false)
  const [headers, setHeaders] = useState<Record<string, string>>({})
  const { isBusy, error, run } = useAction()
  const save = () =>
    run(() =>
      send<unknown>(
        client.PUT('/connectors/{id}/credentials', {
          params: { path: { id } },
          body: { headers, ...(origin && { origin }) },
        }),
      ),
    )
  return (
    <div className={classes.item}>
      <p className={classes.what}>
        {t(fields.length > 0 ? 'approvals.enter' : 'approvals.sign_in', {
          name: host ? `${name} (${host})` : name,
        })}
      </p>
      {fields.map((field) => (
        <Secret
          key={field}
          label={field}
          description={host && t('approvals.key_for', { host })}
          value={headers[field]}
          onChange={(value = '') => setHeaders((headers) => ({ ...headers, [field]: value }))}
        />
      ))}
      {error !== undefined && <Failure error={error} />}
      <Group gap="sm" mt="sm">
        {fields.length > 0 ? (
          <Button
            size="xs"
            loading={isBusy}
            disabled={fields.some((field) => !headers[field])}
            onClick={save}
          >
            {t('common.save')}
          </Button>
        ) : (
          <Button size="xs" onClick={() => setAsking(true)}>
            {t('approvals.sign_in_to', { name })}
          </Button>
        )}
      </Group>
      {isAsking && (
        <Suspense>
          <SignIn connector={{ id, name }} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </div>
  )
}
