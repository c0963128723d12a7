import { Button } from '@mantine/core'
import { useState } from 'react'
import { EVERYONE } from '../groups/group.ts'
import { t } from '../i18n/words.ts'
import { PermissionPicks, useSuggestedPermissions } from '../people/permission-picks.tsx'
import { api, client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import { Step } from './step.tsx'

/** The categories that are asked about: nothing that runs programs on the server or administers it. */
const CATEGORIES = ['settings']

const group = { params: { path: { id: EVERYONE } } }

/** Chooses what everybody who joins may do, as the permissions of the group that all accounts are in. */
export function PeopleStep({ onNext }: { onNext(): void }) {
  const { data } = api.useQuery('get', '/groups/{id}', group)
  const suggested = useSuggestedPermissions()
  const stored = data?.permissions ?? []
  const [permissions = stored.length > 0 ? stored : suggested, setPermissions] = useState<string[]>()
  const { isBusy, error, run } = useAction()
  const save = () =>
    run(async () => {
      await send(client.PATCH('/groups/{id}', { ...group, body: { permissions } }))
      await refresh('/groups', '/users')
      onNext()
    })
  return (
    <Step
      about={t('first-run.people_about')}
      action={
        <Button loading={isBusy} disabled={!data} onClick={save}>
          {t('first-run.people_save')}
        </Button>
      }
      onSkip={onNext}
    >
      <PermissionPicks
        label={t('first-run.people_may')}
        categories={CATEGORIES}
        value={permissions}
        onChange={setPermissions}
      />
      {error !== undefined && <Failure error={error} />}
    </Step>
  )
}
