import { Button, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { ifMatch, refresh, send } from '../server/send.ts'
import { may, useAccount } from '../session/account.ts'
import { SharedSign } from '../sharing/shared-sign.tsx'
import { Empty } from '../ui/empty.tsx'
import { Package, Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { Sheet } from '../ui/sheet.tsx'

/** The packages of skills that everybody can copy to their agents. */
export default function SkillsPage() {
  const packages = useRows('/skill-packages')
  const canCreate = may(useAccount(), 'skill_packages')
  const [isCreating, setCreating] = useState(false)
  const create = canCreate && (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t('skills.create')}
    </Button>
  )
  return (
    <Page title={t('skills.title')} about={t('skills.about')} actions={create}>
      <List
        {...packages}
        as="cards"
        label={t('skills.title')}
        keyOf={({ id }) => id}
        textOf={({ name, description }) => `${name} ${description ?? ''}`}
        empty={<Empty title={t('skills.none')}>{t(create ? 'skills.none_about' : 'skills.none_ask')}</Empty>}
      >
        {({ id, name, description, skill_count, created_by, is_owner }) => (
          <ListRow
            icon={<Package size={18} aria-hidden />}
            title={name}
            meta={
              <>
                {description && <div>{description}</div>}
                {t('skills.count', { count: skill_count })}
              </>
            }
            link={{ to: '/skills/$package', params: { package: id } }}
          >
            <SharedSign is_owner={is_owner} owner={created_by} />
          </ListRow>
        )}
      </List>
      {isCreating && <PackageSheet onClose={() => setCreating(false)} />}
    </Page>
  )
}

interface Props {
  /** The package to change; undefined for a new one. */
  stored?: { id: string; name: string; description: string | null }
  /** The tag of its version. */
  tag?: string | null
  onClose(): void
}

/** Creates a package, or changes its name and description. */
export function PackageSheet({ stored, tag, onClose }: Props) {
  const [name, setName] = useState(stored?.name ?? '')
  const [description, setDescription] = useState(stored?.description ?? '')
  const save = async () => {
    const body = { name, description: description || null }
    if (stored) {
      const params = { path: { id: stored.id }, header: ifMatch(tag) }
      await send(client.PATCH('/skill-packages/{id}', { params, body }))
    } else await send(client.POST('/skill-packages', { body }))
    await refresh('/skill-packages')
  }
  return (
    <Sheet
      title={t(stored ? 'skills.edit' : 'skills.create')}
      isDirty={name !== (stored?.name ?? '') || description !== (stored?.description ?? '')}
      canSave={name.trim() !== ''}
      onSave={save}
      onClose={onClose}
    >
      <TextInput
        label={t('skills.name')}
        maxLength={256}
        required
        withAsterisk={false}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Textarea
        label={t('skills.description')}
        maxLength={2000}
        autosize
        minRows={3}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </Sheet>
  )
}
