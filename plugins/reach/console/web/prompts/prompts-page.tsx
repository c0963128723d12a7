import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { MessageSquareText, Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { State } from '../ui/state.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import NewPrompt, { EditPrompt, ViewPrompt } from './prompt-sheets.tsx'
import { changePrompt, deletePrompt } from './prompts.ts'
import { type Prompt, usePrompts } from './use-prompts.ts'

/** The saved prompts: one's own, and those that others share. */
export default function PromptsPage() {
  const prompts = usePrompts()
  const isAdmin = useAccount().role === 'admin'
  const [isCreating, setCreating] = useState(false)
  const [opened, setOpened] = useState<Prompt>()
  const { error, run } = useAction()
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t('prompts.create')}
    </Button>
  )
  const deletionOf = ({ id, shared }: Prompt) => ({
    about: t(shared ? 'prompts.delete_shared' : 'prompts.delete_own'),
    run: () => deletePrompt(id),
  })
  const Opened = opened?.is_owner ? EditPrompt : ViewPrompt
  return (
    <Page title={t('prompts.title')} about={t('prompts.about')} actions={create}>
      {error !== undefined && <Failure error={error} />}
      <List
        {...prompts}
        label={t('prompts.title')}
        keyOf={({ id }) => id}
        textOf={({ name, description, text, owner }) => `${name} ${description ?? ''} ${text} ${owner}`}
        empty={
          <Empty title={t('prompts.none')} action={create}>
            {t('prompts.none_about')}
          </Empty>
        }
      >
        {(prompt) => (
          <ListRow
            icon={<MessageSquareText size={18} aria-hidden />}
            title={`/${prompt.name}`}
            meta={prompt.description || firstLine(prompt.text)}
            onOpen={() => setOpened(prompt)}
          >
            {prompt.is_owner ? (
              <Toggle
                size="sm"
                labelPosition="left"
                label={t('prompts.shared')}
                aria-label={`${t('prompts.share')}: ${prompt.name}`}
                checked={prompt.shared}
                onToggle={(shared) => run(() => changePrompt(prompt.id, { shared }))}
              />
            ) : (
              <State tone="on">{t('prompts.shared_by', { owner: prompt.owner })}</State>
            )}
            {(prompt.is_owner || isAdmin) && (
              <RowMenu
                name={prompt.name}
                onEdit={prompt.is_owner ? () => setOpened(prompt) : undefined}
                deletion={deletionOf(prompt)}
              />
            )}
          </ListRow>
        )}
      </List>
      {isCreating && <NewPrompt onClose={() => setCreating(false)} />}
      {opened && <Opened prompt={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  )
}

const firstLine = (text: string) => text.trim().split('\n')[0]?.slice(0, 120)
