#include "verb.h"

#include <CLI/App.hpp>
#include <utility>

namespace patchbay::app {

VerbOption& VerbOption::required() {
  option_->required();
  return *this;
}

VerbOption& VerbOption::type_name(const char* name) {
  option_->type_name(name);
  return *this;
}

VerbOption& VerbOption::range(double min, double max) {
  option_->check(CLI::Range(min, max));
  return *this;
}

VerbOption& VerbOption::delimiter(char between_values) {
  option_->delimiter(between_values);
  return *this;
}

Verb Verb::add_verb(const char* name, const char* description) {
  return Verb(app_->add_subcommand(name, description));
}

void Verb::require_verb() { app_->require_subcommand(1); }

VerbOption Verb::add_option(const char* name, std::string& value, const char* description) {
  return VerbOption(app_->add_option(name, value, description));
}

VerbOption Verb::add_option(const char* name, std::vector<std::string>& values, const char* description) {
  return VerbOption(app_->add_option(name, values, description));
}

VerbOption Verb::add_option(const char* name, int& value, const char* description) {
  return VerbOption(app_->add_option(name, value, description));
}

VerbOption Verb::add_option(const char* name, uint64_t& value, const char* description) {
  return VerbOption(app_->add_option(name, value, description));
}

VerbOption Verb::add_option(const char* name, double& value, const char* description) {
  return VerbOption(app_->add_option(name, value, description));
}

VerbOption Verb::add_flag(const char* name, bool& value, const char* description) {
  return VerbOption(app_->add_flag(name, value, description));
}

void Verb::footer(const char* text) { app_->footer(text); }

namespace {

VerbTree tree_of(const CLI::App& app) {
  VerbTree tree{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      tree.options.emplace_back("--" + name, option->get_description());
    for (const std::string& name : option->get_snames())
      tree.options.emplace_back("-" + name, option->get_description());
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    tree.verbs.push_back(tree_of(*verb));
  return tree;
}

}  // namespace

VerbTree Verb::tree() const { return tree_of(*app_); }

void Verb::callback(std::function<void()> run) { app_->callback(std::move(run)); }

}  // namespace patchbay::app
