"""Ours."""

from importlib import import_module

Migration = import_module("trialogue.study.migrations.0006_launch").Migration
