import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Trash2 } from '../ui/icons.ts'

/** Withdraws an expert that was published. */
export function PublishedActions({ expert }: { expert: components['schemas']['PublishedExpert'] }) {
  const [isAsking, setAsking] = useState(false)
  const { id: expert_id, name } = expert
  const withdraw = async () => {
    await send<unknown>(client.DELETE('/experts/published/{expert_id}', { params: { path: { expert_id } } }))
    await refresh('/experts/published')
  }
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('agents.withdraw', { name })}
        onClick={() => setAsking(true)}
      >
        <Trash2 size={16} />
      </ActionIcon>
      {isAsking && (
        <Confirm
          title={t('agents.withdraw_title', { name })}
          action={t('agents.withdraw_action')}
          onConfirm={withdraw}
          onClose={() => setAsking(false)}
        >
          {t('agents.withdraw_about')}
        </Confirm>
      )}
    </>
  )
}
