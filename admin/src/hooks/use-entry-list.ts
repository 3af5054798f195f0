import { useSearchParams } from 'react-router-dom';

const DEFAULTS = {
  page: '1',
  pageSize: '20',
  sort: 'hits:desc',
  search: '',
  contentType: '',
  route: '',
  caller: '',
} as const;

type Parameter = keyof typeof DEFAULTS;

/**
 * The filters, the order and the page of the list of entries. They are kept in the URL, so that a list can be linked to
 * and survives a reload.
 */
export const useEntryList = () => {
  const [search, setSearch] = useSearchParams();
  const parameters = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, value]) => [name, search.get(name) ?? value]),
  ) as Record<Parameter, string>;
  /** Changes some parameters and goes back to the first page. */
  const change = (changes: Readonly<Partial<Record<Parameter, string>>>): void => {
    const next = Object.entries({ ...parameters, page: DEFAULTS.page, ...changes });
    setSearch(next.filter(([name, value]) => value !== DEFAULTS[name as Parameter]));
  };
  /** The link to another page of the same list. */
  const pageLink = (page: number): { readonly search: string } => {
    const next = new URLSearchParams(search);
    next.set('page', String(page));
    return { search: next.toString() };
  };
  return { parameters, change, pageLink };
};
