import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../i18n/words.ts'
import { client } from '../../server/client.ts'
import { send } from '../../server/send.ts'
import { WandSparkles } from '../../ui/icons.ts'
import type { Draft } from './draft.ts'

interface Props {
  agent_id: string
  draft: Draft
  isDisabled: boolean
  onFailure(error: unknown): void
}

/** Has the model improve the wording of the draft, which replaces it unless it was changed meanwhile. */
export function Polish({ agent_id, draft, isDisabled, onFailure }: Props) {
  const [isBusy, setBusy] = useState(false)
  const polish = async () => {
    const { text: prompt } = draft.read()
    setBusy(true)
    onFailure(undefined)
    try {
      const params = { path: { id: agent_id } }
      const { text } = await send(client.POST('/agents/{id}/chat/polish', { params, body: { prompt } }))
      if (draft.read().text === prompt) draft.set({ text })
    } catch (error) {
      onFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={34}
      disabled={isDisabled}
      loading={isBusy}
      aria-label={t('chat.polish')}
      title={t('chat.polish')}
      onClick={() => void polish()}
    >
      <WandSparkles size={17} aria-hidden />
    </ActionIcon>
  )
}
