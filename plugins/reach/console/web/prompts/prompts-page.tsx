import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { owns, useAccount } from '../session/account.ts'
import { ShareItem } from '../sharing/share-item.tsx'
import { SharedSign } from '../sharing/shared-sign.tsx'
import { SharingSheet } from '../sharing/sharing-sheet.tsx'
import { Empty } from '../ui/empty.tsx'
import { MessageSquareText, Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import NewPrompt, { EditPrompt, ViewPrompt } from './prompt-sheets.tsx'
import { deletePrompt } from './prompts.ts'
import { type Prompt, usePrompts } from './use-prompts.ts'

/** The saved prompts: one's own, and those that others share. */
export default function PromptsPage() {
  const prompts = usePrompts()
  const account = useAccount()
  const [isCreating, setCreating] = useState(false)
  const [opened, setOpened] = useState<Prompt>()
  const [shared, setShared] = useState<Prompt>()
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t('prompts.create')}
    </Button>
  )
  const deletionOf = ({ id, shared }: Prompt) => ({
    about: t(shared ? 'prompts.delete_shared' : 'prompts.delete_own'),
    run: () => deletePrompt(id),
  })
  const Opened = opened?.can_edit ? EditPrompt : ViewPrompt
  return (
    <Page title={t('prompts.title')} about={t('prompts.about')} actions={create}>
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
            <SharedSign {...prompt} is_shared={prompt.shared} />
            {(prompt.can_edit || owns(account, prompt)) && (
              <RowMenu
                name={prompt.name}
                onEdit={prompt.can_edit ? () => setOpened(prompt) : undefined}
                deletion={owns(account, prompt) && deletionOf(prompt)}
              >
                <ShareItem row={prompt} onOpen={() => setShared(prompt)} />
              </RowMenu>
            )}
          </ListRow>
        )}
      </List>
      {isCreating && <NewPrompt onClose={() => setCreating(false)} />}
      {shared && (
        <SharingSheet
          thing={{ ...shared, kind: 'prompt', name: `/${shared.name}` }}
          onClose={() => setShared(undefined)}
        />
      )}
      {opened && <Opened prompt={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  )
}

const firstLine = (text: string) => text.trim().split('\n')[0]?.slice(0, 120)
