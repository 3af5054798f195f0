import type { ApplicationFacts, AttributeFacts } from './application-facts';

/**
 * Strapi adds these to every type. They are private, so no response shows them, unless `populateCreatorFields` is set.
 */
const isHiddenCreator = (name: string, attribute: AttributeFacts): boolean =>
  (name === 'createdBy' || name === 'updatedBy') && attribute.private !== false;

/**
 * The content types whose changes reach a type's responses: the targets of its relations and media, its own and those
 * of its components and dynamic zones, however deeply nested. The relations of these targets are not followed, because
 * they would soon lead to every type. Relations that may point at any type (`morphToMany` and the like) name no target.
 */
export const shownContentTypes = (uid: string, application: ApplicationFacts): readonly string[] => {
  const related = new Set<string>();
  const visited = new Set<string>();

  const visit = (attributes: Readonly<Record<string, AttributeFacts>>): void => {
    for (const [name, attribute] of Object.entries(attributes)) {
      if (isHiddenCreator(name, attribute)) continue;
      const { type, target = '', component: single = '', components = [] } = attribute;
      if (type === 'media') related.add('plugin::upload.file');
      if (type === 'relation' && target !== '') related.add(target);
      for (const component of [single, ...components]) {
        if (visited.has(component)) continue;
        visited.add(component);
        visit(application.components[component]?.attributes ?? {});
      }
    }
  };

  visit(application.contentTypes[uid]?.attributes ?? {});
  related.delete(uid);
  return [...related].sort();
};

/**
 * The content types whose responses a change of this one reaches: all that show it, as in
 * @strapi-community/plugin-rest-cache.
 */
export const relatedContentTypes = (uid: string, application: ApplicationFacts): readonly string[] =>
  Object.keys(application.contentTypes)
    .filter((other) => other !== uid && shownContentTypes(other, application).includes(uid))
    .sort();
