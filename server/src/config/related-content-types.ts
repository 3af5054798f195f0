import type { ApplicationFacts, AttributeFacts } from './application-facts';

/** What media attributes lead to. */
const FILE = 'plugin::upload.file';

/** Set by Strapi on every type; private, and thus in no response, unless the type has `populateCreatorFields`. */
const CREATOR_FIELDS = new Set(['createdBy', 'updatedBy']);

const isHiddenCreator = (name: string, attribute: AttributeFacts): boolean =>
  CREATOR_FIELDS.has(name) && attribute.private !== false;

const componentsOf = (attribute: AttributeFacts): readonly string[] => {
  if (attribute.type === 'component' && attribute.component !== undefined) return [attribute.component];
  return attribute.type === 'dynamiczone' ? (attribute.components ?? []) : [];
};

const contentTypeOf = (attribute: AttributeFacts): string | undefined => {
  if (attribute.type === 'media') return FILE;
  return attribute.type === 'relation' ? attribute.target : undefined;
};

/**
 * The content types whose changes reach a type's responses: those it has relations or media of, itself or in its
 * components and dynamic zones, however deeply nested. Not the relations of those types in turn, which would soon be
 * every type there is, nor types that may be any (`morphToMany` and its like name none).
 */
export const shownContentTypes = (uid: string, application: ApplicationFacts): readonly string[] => {
  const related = new Set<string>();
  const visited = new Set<string>();

  const visit = (attributes: Readonly<Record<string, AttributeFacts>>): void => {
    for (const [name, attribute] of Object.entries(attributes)) {
      if (isHiddenCreator(name, attribute)) continue;
      const contentType = contentTypeOf(attribute);
      if (contentType !== undefined) related.add(contentType);
      for (const component of componentsOf(attribute)) {
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
 * The content types whose responses a change of this one reaches, as @strapi-community/plugin-rest-cache counts them: all that show it.
 */
export const relatedContentTypes = (uid: string, application: ApplicationFacts): readonly string[] =>
  Object.keys(application.contentTypes)
    .filter((other) => other !== uid && shownContentTypes(other, application).includes(uid))
    .sort();
