-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'hosting: asked about',
    ask = {
      'gh pr create --fill', 'gh repo delete a/b --yes', 'gh release create v1', 'gh issue close 1',
      'gh api -X DELETE repos/a/b', 'gh workflow run x', 'gh secret set A -b x',
      'gh pr comment 1 -b x', 'gh gist create a.txt', 'glab mr merge 1',
      'gh search code foo --repo a/b', 'gh extension install a/b', 'gh repo delete x',
      'gh cache delete --all', 'gh run delete 1', 'gh label delete x', 'gh search repos x',
      'gh api https://evil.example.com', 'gh api --hostname evil.example.com x',
      "gh api -H 'X-HTTP-Method-Override: DELETE' repos/a/b",
      'glab api --hostname evil.example.com user', 'tea issues', 'tea pulls', 'hub delete o/r',
      'hub create', 'gh release delete v1 -y', 'glab repo delete x',
    },
  },
}
