import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { SharedSign } from '../sharing/shared-sign.tsx'
import { Empty } from '../ui/empty.tsx'
import { Folder, Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import ProjectSheet from './project-sheet.tsx'
import { useProjects } from './projects.ts'

/** The projects of the account. */
export default function ProjectsPage() {
  const projects = useProjects()
  const [isCreating, setCreating] = useState(false)
  const navigate = useNavigate()
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {t('projects.create')}
    </Button>
  )
  return (
    <Page title={t('projects.title')} about={t('projects.about')} actions={create}>
      <List
        {...projects}
        as="cards"
        label={t('projects.title')}
        keyOf={({ id }) => id}
        textOf={({ name, description }) => `${name} ${description ?? ''}`}
        empty={
          <Empty title={t('projects.empty')} action={create}>
            {t('projects.empty_about')}
          </Empty>
        }
      >
        {({ id, name, description, thread_count, ...project }) => (
          <ListRow
            icon={<Folder size={18} aria-hidden />}
            title={name}
            link={{ to: '/projects/$project', params: { project: id } }}
            meta={
              <>
                {description && <div>{description}</div>}
                {t('projects.count', { count: thread_count })}
              </>
            }
          >
            <SharedSign {...project} />
          </ListRow>
        )}
      </List>
      {isCreating && (
        <ProjectSheet
          onSaved={({ id }) => navigate({ to: '/projects/$project', params: { project: id } })}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  )
}
